/** Colours of axes and marks of charts. */
export const inks = {
  light: { text: '#566069', grid: '#e6ebeb', warning: '#8a3b00', surface: '#ffffff' },
  dark: { text: '#a3adb3', grid: '#2b3134', warning: '#ffc078', surface: '#1d2123' },
} as const;
