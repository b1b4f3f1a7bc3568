//! What a panic on the GPU does: the launch fails.

use core::arch::asm;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {
        // SAFETY: `trap` ends the launch with an error.
        unsafe { asm!("trap;") }
    }
}
