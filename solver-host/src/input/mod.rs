//! Reading ground programs: gringo's aspif and the older smodels/lparse format, told apart by content.
