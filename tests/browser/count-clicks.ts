import type { Page } from 'playwright-core';

/** What a person has pressed since the last reset. */
export interface ClickCount {
  presses(): number;
  reset(): void;
}

const binding = 'countPress';

/**
 * Counts what a person presses in a page and in those that it leads to: each press of a mouse or finger, and each Enter, which stands for
 * one. Typing, Tab and arrows do not count. Pages that are opened after this call are counted.
 */
export async function countClicks(page: Page): Promise<ClickCount> {
  let count = 0;
  await page.exposeFunction(binding, () => {
    count += 1;
  });
  await page.addInitScript(`
    addEventListener('pointerdown', () => { ${binding}(); }, { capture: true });
    addEventListener('keydown', ({ key, repeat }) => { if (key === 'Enter' && !repeat) ${binding}(); }, { capture: true });
  `);
  return {
    presses: () => count,
    reset: () => {
      count = 0;
    },
  };
}
