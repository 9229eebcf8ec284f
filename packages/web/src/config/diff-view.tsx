import { Text, VisuallyHidden } from '@mantine/core';
import { useMemo } from 'react';
import { configWords } from '../words/config.ts';
import styles from './diff-view.module.css';
import { type DiffLine, diffCounts, diffParts, lineDiff } from './line-diff.ts';

interface DiffViewProps {
  /** What is compared, for example "Changes since 16:35". */
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

const glyphs = { same: ' ', added: '+', removed: '−' };
const spoken = { same: '', added: 'added: ', removed: 'removed: ' };

const keyOf = (line: DiffLine): string =>
  `${line.kind} ${'before' in line ? line.before : ''} ${'after' in line ? line.after : ''}`;

const Line = ({ line }: { readonly line: DiffLine }) => (
  <tr data-kind={line.kind}>
    <td className={styles.number}>{'before' in line ? line.before : ''}</td>
    <td className={styles.number}>{'after' in line ? line.after : ''}</td>
    <td className={styles.text}>
      <span aria-hidden="true">{glyphs[line.kind]} </span>
      {line.kind !== 'same' && <VisuallyHidden component="span">{spoken[line.kind]}</VisuallyHidden>}
      {/* As it is in the file. */}
      <span translate="no">{line.text}</span>
    </td>
  </tr>
);

/** What differs between two texts, line by line, with the lines around it. */
export function DiffView({ label, before, after }: DiffViewProps) {
  const lines = useMemo(() => lineDiff(before, after), [before, after]);
  const parts = useMemo(() => diffParts(lines), [lines]);
  const { added, removed } = diffCounts(lines);
  if (parts.length === 0) return <Text size="sm">{configWords.noDifferences(label)}</Text>;
  return (
    <figure className={styles.figure}>
      <figcaption>{configWords.addedRemoved(label, added, removed)}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.frame} tabIndex={0} aria-label={label}>
        <table className={styles.lines}>
          {parts.map((part) => (
            <tbody key={part[0] && keyOf(part[0])}>
              {part.map((line) => (
                <Line key={keyOf(line)} line={line} />
              ))}
            </tbody>
          ))}
        </table>
      </section>
    </figure>
  );
}
