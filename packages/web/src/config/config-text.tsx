import type { ConfigDiagnostic } from '@lcs/contract';
import { Anchor } from '@mantine/core';
import { type RefObject, useMemo } from 'react';
import { spanOfLine } from './config-findings.ts';
import styles from './config-text.module.css';

interface ConfigTextProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isReadOnly: boolean;
}

function sizeOf(text: string): { readonly lines: number; readonly longest: number } {
  const lines = text.split('\n');
  return { lines: lines.length, longest: lines.reduce((most, { length }) => Math.max(most, length), 0) };
}

/** A text with its line numbers. */
export function ConfigText({ label, text, onChange, field, isReadOnly }: ConfigTextProps) {
  const { lines, longest } = useMemo(() => sizeOf(text), [text]);
  const numbers = useMemo(() => Array.from({ length: lines }, (_, index) => index + 1).join('\n'), [lines]);
  return (
    <div className={styles.frame}>
      <pre className={styles.numbers} aria-hidden="true">
        {numbers}
      </pre>
      <textarea
        ref={field}
        className={styles.text}
        aria-label={label}
        // As large as its text: only the frame scrolls, with the numbers, by mouse and by keyboard.
        rows={Math.max(lines, 8)}
        cols={longest + 1}
        wrap="off"
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        value={text}
        readOnly={isReadOnly}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}

/** What was found in the text; a click goes to its line. */
export function Findings({
  findings,
  text,
  field,
}: {
  readonly findings: readonly ConfigDiagnostic[];
  readonly text: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}) {
  const goTo = (line: number): void => {
    const [from, to] = spanOfLine(text, line);
    field.current?.focus();
    field.current?.setSelectionRange(from, to);
  };
  return (
    <ul className={styles.findings}>
      {findings.map(({ line, column, message, code }) => (
        <li key={`${line} ${column} ${code} ${message}`}>
          <Anchor component="button" type="button" size="sm" onClick={() => goTo(line)}>
            Line {line}, column {column}
          </Anchor>
          : {message}
        </li>
      ))}
    </ul>
  );
}
