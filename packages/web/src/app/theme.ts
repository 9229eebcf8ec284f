import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, Menu } from '@mantine/core';
import { commonWords } from '../words/common.ts';

const sea: MantineColorsTuple = [
  '#e9f7f5',
  '#d3ece8',
  '#a5d9d1',
  '#74c5b9',
  '#4cb3a5',
  '#2d9f91',
  '#158a7d',
  '#0b766b',
  '#0b645b',
  '#084f48',
];

/** From the colour of text (0) to behind everything (9). */
const dark: MantineColorsTuple = [
  '#d3dadd',
  '#a3adb3',
  '#8d979d',
  '#5f696f',
  '#41494d',
  '#33393c',
  '#262b2e',
  '#16191b',
  '#111416',
  '#0c0e0f',
];

export const theme = createTheme({
  primaryColor: 'sea',
  primaryShade: { light: 7, dark: 7 },
  colors: { sea, dark },
  autoContrast: true,
  defaultRadius: 'md',
  // Text of a body has 14 px, also in the smallest size of a component.
  fontSizes: { xs: '14px', sm: '14px' },
  cursorType: 'pointer',
  components: {
    // Notices are drawn by their library.
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': commonWords.hide } } },
    Menu: Menu.extend({
      // Inside its landmark, and without an element that only takes the first focus.
      defaultProps: { position: 'bottom-end', withinPortal: false, withInitialFocusPlaceholder: false },
    }),
  },
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif',
  headings: { fontWeight: '650' },
});

/** Secondary text of the stock theme is too pale for its background (WCAG AA wants 4.5 to 1). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#566069',
    '--mantine-color-placeholder': '#6b747c',
    '--mantine-color-error': '#c92a2a',
    '--page-background': '#f7f9f9',
    '--page-surface': '#ffffff',
    '--page-line': '#dfe5e5',
    '--page-hover': '#f0f5f4',
    '--page-link': '#0b645b',
    '--page-warning': '#8a3b00',
    '--page-warning-surface': '#fff4e6',
  },
  dark: {
    '--mantine-color-dimmed': '#a3adb3',
    '--mantine-color-placeholder': '#8d979d',
    '--mantine-color-error': '#ff8787',
    '--page-background': '#16191b',
    '--page-surface': '#1d2123',
    '--page-line': '#33393c',
    '--page-hover': '#252a2d',
    '--page-link': '#74c5b9',
    '--page-warning': '#ffc078',
    '--page-warning-surface': '#2b2016',
  },
});
