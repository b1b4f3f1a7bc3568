//! The `#[kernel]` attribute.

use proc_macro::TokenStream;
use quote::quote;
use syn::{parse_macro_input, Error, ItemFn, Visibility};

/// Makes a function a kernel: on the GPU an entry point of its own name, on the host a plain function.
///
/// The function must be `pub unsafe fn`, without generics or a return value.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    match check(&function, arguments.is_empty()) {
        Ok(()) => expand(&function).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

fn check(function: &ItemFn, no_arguments: bool) -> Result<(), Error> {
    let signature = &function.sig;
    let refuse = |what: &str| Err(Error::new_spanned(signature, what));
    if !no_arguments {
        return refuse("#[kernel] takes no arguments");
    }
    if signature.unsafety.is_none() {
        return refuse("a kernel must be `unsafe fn`: what it does with its arguments is up to its launch");
    }
    if !matches!(function.vis, Visibility::Public(_)) {
        return refuse("a kernel must be `pub`");
    }
    if !signature.generics.params.is_empty() || signature.generics.where_clause.is_some() {
        return refuse("a kernel cannot be generic: the host looks it up by its name");
    }
    if !matches!(signature.output, syn::ReturnType::Default) {
        return refuse("a kernel returns nothing");
    }
    Ok(())
}

fn expand(function: &ItemFn) -> proc_macro2::TokenStream {
    let ItemFn { attrs, vis, sig, block } = function;
    let (name, inputs) = (&sig.ident, &sig.inputs);
    quote! {
        #[cfg(target_arch = "nvptx64")]
        #(#attrs)*
        #[no_mangle]
        #vis unsafe extern "ptx-kernel" fn #name(#inputs) #block

        #[cfg(not(target_arch = "nvptx64"))]
        #(#attrs)*
        #vis unsafe fn #name(#inputs) #block
    }
}
