import type { Page } from 'playwright-core';

/**
 * Rules that each page keeps, each a list of findings of the present page: empty when the page keeps the rule.
 *
 * Text that people or programs chose (names, code) is exempt from rules of wording where the page says so: in `code`, in an editor, or
 * marked `translate="no"`.
 */
const shared = `
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const isVerbatim = (element) => element.closest('code, pre, kbd, .cm-editor, [translate=no]') !== null;
  const nameOf = (element) => {
    const { width, height } = element.getBoundingClientRect();
    const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 60);
    return element.tagName.toLowerCase() + ' "' + text + '" ' + Math.round(width) + '×' + Math.round(height);
  };
  /** For screen readers only: one pixel, cut. */
  const isHidden = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width <= 1 || height <= 1;
  };
  const shownTexts = () => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.data.trim();
      if (text !== '' && element !== null && !['SCRIPT', 'STYLE'].includes(element.tagName) && isShown(element))
        texts.push({ text, element });
    }
    return texts;
  };
`;

/** Names of variables (`od_reading`), times in ISO-8601, addresses of the API. */
const machineWords = String.raw`/[a-z0-9]+_[a-z0-9]+|\d\dT\d\d:\d\d|\/(unit_)?api\//i`;
/** A text that names a section or a file of the configuration: people type the names of its settings as they are. */
const ofConfiguration = String.raw`/\[[a-z_.]+\]|\.ini\b/`;
const ofConfigurationOnly = String.raw`/\d\dT\d\d:\d\d|\/(unit_)?api\//i`;

/** Visible text, and names for screen readers, that only a machine would write. */
export const machineTexts = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(`(() => {${shared}
    const named = [...document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')]
      .filter((element) => isShown(element))
      .flatMap((element) => ['aria-label', 'title', 'placeholder', 'alt']
        .map((attribute) => ({ element, text: element.getAttribute(attribute) ?? '' })));
    return [...new Set([...shownTexts(), ...named]
      .filter(({ text, element }) =>
        (${ofConfiguration}.test(text) ? ${ofConfigurationOnly} : ${machineWords}).test(text) && !isVerbatim(element))
      .map(({ text }) => text.slice(0, 120)))];
  })()`);

/**
 * Roles of text that may be smaller than body text: headings of columns, names of values, footnotes, keys, text in drawings, badges, tags,
 * and what a style declares to be a caption (`composes: caption`).
 */
const captions = 'th, dt, sup, kbd, svg, .mantine-Badge-root, .mantine-Pill-root, .caption';

/** Text smaller than 14 px that is no caption, and any text smaller than 12 px. */
export const smallTexts = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(`(() => {${shared}
    return [...new Set(shownTexts()
      .filter(({ element }) => {
        const leastPx = element.closest('${captions}') === null ? 14 : 12;
        return parseFloat(getComputedStyle(element).fontSize) < leastPx && !isHidden(element);
      })
      .map(({ text, element }) => getComputedStyle(element).fontSize + ' ' + text.slice(0, 60)))];
  })()`);

/**
 * What a finger must hit and is smaller than 44 px in one direction. Links within a sentence are exempt, as in WCAG 2.2 (2.5.5). A drawing that is
 * hidden from screen readers has an equivalent beside it. A label or a
 * larger target around it counts as it does for a finger. `within`: a part of the page that lies above the rest.
 */
export const smallTargets = (page: Page, within = 'body'): Promise<readonly string[]> =>
  page.evaluate<string[]>(`(() => {${shared}
    const acting = 'button, a[href], input, select, textarea, summary, [role=button], [role=tab], [role=menuitem], ' +
      '[role=switch], [role=checkbox], [role=radio], [role=option], [role=link], [role=slider]';
    // Layout is in 64ths of a pixel: what is 44 px in a style may be one of them less.
    const wanted = 44;
    const wantedInLayout = wanted - 1 / 32;
    const isInSentence = (element) => element.tagName === 'A' && getComputedStyle(element).display === 'inline' &&
      element.parentElement.textContent.trim() !== element.textContent.trim();
    const isHit = (element, x, y) => {
      const hit = document.elementFromPoint(x, y);
      if (hit === null) return false;
      const label = hit.closest('label');
      return element.contains(hit) || hit.closest(acting)?.contains(element) === true ||
        (label !== null && (label.control === element || label.contains(element)));
    };
    return [...document.querySelectorAll(${JSON.stringify(within)})].flatMap((part) => [...part.querySelectorAll(acting)])
      .filter((element) => isShown(element) && !isHidden(element) && !element.closest('[inert], [aria-hidden=true], .skip-link, .cm-editor'))
      .filter((element) => !isInSentence(element))
      .filter((element) => {
        const first = element.getBoundingClientRect();
        if (Math.min(first.width, first.height) >= wantedInLayout) return false;
        element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
        const { x, y, width, height } = element.getBoundingClientRect();
        // Between two pixels the browser takes the one or the other.
        const [middleX, middleY] = [Math.floor(x + width / 2), Math.floor(y + height / 2)];
        const reach = (stepX, stepY) => {
          let pixels = 0;
          while (pixels < wanted && isHit(element, middleX + stepX * pixels, middleY + stepY * pixels)) pixels += 1;
          return pixels;
        };
        // The middle is of both ways.
        return Math.min(reach(-1, 0) + reach(1, 0), reach(0, -1) + reach(0, 1)) - 1 < wanted;
      })
      .map(nameOf);
  })()`);

/** What stays in its place on each page (header, navigation) and cannot be pressed, because something lies above it, visible or not. */
export const coveredTargets = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(`(() => {${shared}
    return [...document.querySelectorAll('header :is(button, a[href]), nav :is(button, a[href])')]
      .filter((element) => isShown(element) && !isHidden(element) && !element.matches('.skip-link'))
      .flatMap((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const hit = document.elementFromPoint(x + width / 2, y + height / 2);
        const isCovered = hit !== null && !element.contains(hit) && !hit.contains(element);
        return isCovered ? [nameOf(element) + ' under ' + nameOf(hit) + ' ' + hit.className] : [];
      });
  })()`);

/** What is cut off without a way to scroll to its end. */
export const unreachableEnds = async (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(`(() => {${shared}
    return [...document.querySelectorAll('body *')]
      // What is around the thumb of a scroll bar is for fingers only.
      .filter((element) => isShown(element) && !isHidden(element) && !element.matches('.mantine-ScrollArea-thumb'))
      .filter((element) => {
        const { overflowY, webkitLineClamp, textOverflow } = getComputedStyle(element);
        if (!['hidden', 'clip'].includes(overflowY) || webkitLineClamp !== 'none' || textOverflow === 'ellipsis') return false;
        return element.scrollHeight > element.clientHeight + 8 && element.clientHeight > 0;
      })
      .map(nameOf);
  })()`);

/** As people set it who read with difficulty (WCAG 2.2, 1.4.12). */
const wideSpacing = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
  p { margin-bottom: 2em !important; }`;

/** Does work while text is spaced as wide as a person may set it. */
export async function withWideSpacing<Result>(page: Page, work: () => Promise<Result>): Promise<Result> {
  await page.evaluate(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(wideSpacing)});
    window.wideSpacing = sheet;
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  })()`);
  const result = await work();
  await page.evaluate(
    'document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== window.wideSpacing)',
  );
  return result;
}

/**
 * Whether the element with the focus shows it, and can be seen: it is not wholly behind a bar that stays (WCAG 2.2, 2.4.7 and 2.4.11). Fields change
 * their border. `undefined`: no element has the focus.
 */
const faultOfFocus = `(() => {${shared}
  const element = document.activeElement;
  if (element === null || element === document.body) return undefined;
  // A link whose whole tile is the target marks the tile.
  const looks = [element, ...element.querySelectorAll('*'), element.nextElementSibling]
    .filter((each) => each !== null)
    .flatMap((each) => [getComputedStyle(each), getComputedStyle(each, '::after')]);
  const isMarked = looks.some(({ outlineStyle, outlineWidth, boxShadow, borderColor }) =>
    (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none') ||
    element.matches('input, select, textarea, [contenteditable=true], .cm-content');
  if (!isMarked) return nameOf(element) + ' does not show the focus';
  const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
  if (isHidden(element) || width === 0 || height === 0) return null;
  const points = [[(left + right) / 2, (top + bottom) / 2], [left + 2, top + 2], [right - 2, bottom - 2], [left + 2, bottom - 2]];
  const isSeen = points.some(([x, y]) => {
    const hit = document.elementFromPoint(x, y);
    return hit !== null && (element.contains(hit) || hit.contains(element) || hit.closest('label') !== null);
  });
  return isSeen ? null : nameOf(element) + ' has the focus and is hidden';
})()`;

/** Goes through the page with Tab; returns what takes the focus without showing it, or hidden. */
export async function hiddenFocuses(page: Page, steps = 60): Promise<readonly string[]> {
  const faults = new Set<string>();
  await page.evaluate('document.activeElement?.blur()');
  for (let step = 0; step < steps; step += 1) {
    await page.keyboard.press('Tab');
    const fault = await page.evaluate<string | null | undefined>(faultOfFocus);
    if (fault === undefined) break;
    if (fault !== null) faults.add(fault);
  }
  return [...faults];
}
