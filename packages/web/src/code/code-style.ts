import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const frame = EditorView.theme({
  '&': {
    border: '1px solid var(--page-line)',
    borderRadius: '8px',
    backgroundColor: 'var(--page-surface)',
    fontSize: '14px',
  },
  '&.cm-focused': { outline: '2px solid var(--page-link)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '20px', maxHeight: '65vh' },
  '.cm-content': { caretColor: 'currentColor', minHeight: '320px' },
  '.cm-cursor': { borderLeftColor: 'currentColor' },
  '.cm-gutters': {
    backgroundColor: 'var(--page-surface)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--page-line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--page-hover)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--page-surface)',
    color: 'inherit',
    border: '1px solid var(--page-line)',
    borderRadius: '6px',
    maxWidth: '420px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--mantine-color-sea-8)',
    color: '#ffffff',
  },
  '.cm-completionInfo': { padding: '6px 10px' },
  '.cm-diagnostic': { padding: '6px 10px' },
});

const words = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--page-link)' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--page-warning)' },
]);

/** The look of the editor, in the colours of the page. */
export const codeStyle = [frame, syntaxHighlighting(words)];
