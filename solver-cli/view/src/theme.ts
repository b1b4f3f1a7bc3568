// Dark and light: as the system says, or as the reader chooses.
// Main function: startTheme.

const THEMES = ["auto", "light", "dark"] as const;
const KEY = "yasmin-view-theme";

/** Makes a button switch between the themes. Calls `changed` after each switch. */
export function startTheme(button: HTMLButtonElement, changed: () => void) {
  let theme = stored();
  const show = () => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = { auto: "◐ auto", light: "☀ light", dark: "☾ dark" }[theme];
    changed();
  };
  button.onclick = () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // A page from disk may have no storage. The theme then lasts as long as the page.
    }
    show();
  };
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  show();
}

function stored(): (typeof THEMES)[number] {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}
