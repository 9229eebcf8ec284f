import type { ConfigDiagnostic } from '@lcs/contract';
import { Anchor } from '@mantine/core';
import { commonWords } from '../words/common.ts';
import styles from './config-findings.module.css';

interface FindingsProps {
  readonly findings: readonly ConfigDiagnostic[];
  /** Shows the place in the text. */
  readonly onGoTo: (line: number, column: number) => void;
}

/** What was found in the text; each finding leads to its place. */
export const Findings = ({ findings, onGoTo }: FindingsProps) => (
  <ul className={styles.findings}>
    {findings.map(({ line, column, message, code }) => (
      <li key={`${line} ${column} ${code} ${message}`}>
        <Anchor component="button" type="button" size="sm" onClick={() => onGoTo(line, column)}>
          {commonWords.lineColumn(line, column)}
        </Anchor>
        : {message}
      </li>
    ))}
  </ul>
);
