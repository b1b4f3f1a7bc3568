//! The attributes `#[kernel]` and `#[inlined]`.

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

/// Inlines a function of kernels into each caller where a kernel has to be fast: on the GPU, and in launches of one
/// thread, whose crates have the feature `alone`.
///
/// In a simulation the compiler decides. A whole search as a single function takes minutes to compile there, and each
/// access asks the simulation anyway.
#[proc_macro_attribute]
pub fn inlined(arguments: TokenStream, item: TokenStream) -> TokenStream {
    if !arguments.is_empty() {
        let arguments = proc_macro2::TokenStream::from(arguments);
        return Error::new_spanned(arguments, "#[inlined] takes no arguments").to_compile_error().into();
    }
    let item = proc_macro2::TokenStream::from(item);
    quote! {
        #[cfg_attr(any(target_arch = "nvptx64", feature = "alone"), inline(always))]
        #[cfg_attr(not(any(target_arch = "nvptx64", feature = "alone")), inline)]
        #item
    }
    .into()
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
    if signature.abi.is_some() || signature.constness.is_some() || signature.asyncness.is_some() {
        return refuse("a kernel is a plain `unsafe fn`: no `extern`, `const` or `async`");
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

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn is_an_entry_point_on_the_gpu_and_a_function_elsewhere() {
        let kernel: ItemFn = parse_quote! {
            /// Doubles.
            #[inline]
            pub unsafe fn double(data: *mut u32, n: usize) {
                *data *= 2;
            }
        };
        check(&kernel, true).expect("a kernel");
        let both: syn::File = syn::parse2(expand(&kernel)).expect("items");
        let text = |item: &syn::Item| quote!(#item).to_string();
        let [gpu, host] = &both.items[..] else { panic!("two items") };
        let (gpu, host) = (text(gpu), text(host));
        assert!(gpu.starts_with("# [cfg (target_arch = \"nvptx64\")]"), "{gpu}");
        assert!(
            gpu.contains("# [no_mangle] pub unsafe extern \"ptx-kernel\" fn double (data : * mut u32"),
            "{gpu}"
        );
        assert!(host.starts_with("# [cfg (not (target_arch = \"nvptx64\"))]"), "{host}");
        assert!(
            host.contains("pub unsafe fn double (data : * mut u32") && !host.contains("no_mangle"),
            "{host}"
        );
        assert!([gpu, host].iter().all(|item| item.contains("# [inline]") && item.contains("Doubles")));
    }

    #[test]
    fn refuses_what_cannot_be_launched() {
        let parse = |text: &str| syn::parse_str::<ItemFn>(text).expect("a function");
        for (text, word) in [
            ("pub fn k() {}", "unsafe"),
            ("unsafe fn k() {}", "pub"),
            ("pub unsafe fn k<T>(x: T) {}", "generic"),
            ("pub unsafe fn k<'a>(x: &'a u32) {}", "generic"),
            ("pub unsafe fn k() where u32: Copy {}", "generic"),
            ("pub unsafe fn k() -> u32 { 0 }", "returns nothing"),
            ("pub unsafe extern \"C\" fn k() {}", "extern"),
            ("pub async unsafe fn k() {}", "async"),
        ] {
            let error = check(&parse(text), true).expect_err(text).to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
        assert!(check(&parse("pub unsafe fn k() {}"), false).is_err(), "arguments");
    }
}
