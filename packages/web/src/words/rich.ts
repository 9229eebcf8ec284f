import { createElement, Fragment, type ReactNode } from 'react';

/** A sentence with elements in it, such as a link: it stays whole, so that another language can order its parts differently. */
export const rich = (texts: TemplateStringsArray, ...parts: readonly ReactNode[]): ReactNode =>
  createElement(Fragment, null, ...texts.flatMap((text, at) => [text, parts[at]]));
