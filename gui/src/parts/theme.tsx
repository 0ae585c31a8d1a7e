// Dark or light: as the system says, until somebody has chosen.
import { useEffect, useState } from "react";

const KEY = "sand.theme";
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

function kept(): Theme {
  const found = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === found) ?? "system";
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(kept);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(KEY, theme);
  }, [theme]);
  return (
    <label className="theme">
      <span className="unseen">Theme</span>
      <select value={theme} onChange={(event) => setTheme(THEMES.find((one) => one === event.target.value) ?? "system")}>
        {THEMES.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}
