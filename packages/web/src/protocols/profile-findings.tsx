import type { ProfileDiagnostic } from '@lcs/contract';
import { Anchor, Text } from '@mantine/core';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import styles from './editor.module.css';
import type { useProfileCheck } from './use-profile-file.ts';

interface ProfileFindingsProps {
  readonly check: ReturnType<typeof useProfileCheck>;
  readonly onGoTo: (line: number, column: number) => void;
}

function summaryOf(diagnostics: readonly ProfileDiagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  return [
    ...(errors > 0 ? [protocolsWords.errorCount(errors)] : []),
    ...(warnings > 0 ? [protocolsWords.warningCount(warnings)] : []),
  ].join(', ');
}

/** What the leader has found in the text; each finding leads to its line. */
export function ProfileFindings({ check, onGoTo }: ProfileFindingsProps) {
  const { diagnostics, notRunnable, isValid, error } = check;
  return (
    <Panel
      title={protocolsWords.findings}
      aside={
        <Text size="sm" role="status" data-settled={!check.isOfBefore}>
          {summaryOf(diagnostics)}
        </Text>
      }
    >
      {error !== null && <ProblemAlert error={error} />}
      {isValid && diagnostics.length === 0 && notRunnable.length === 0 && (
        <Text size="sm">
          <CheckIcon size={14} /> {protocolsWords.noFindings}
        </Text>
      )}
      <ul className={styles.findings}>
        {diagnostics.map(({ severity, line, column, code, message, hint }) => (
          <li key={`${line} ${column} ${code} ${message}`} data-severity={severity}>
            <WarningIcon size={14} />
            <span>
              <Anchor component="button" type="button" size="sm" onClick={() => onGoTo(line, column)}>
                {commonWords.lineColumn(line, column)}
              </Anchor>{' '}
              {severity === 'error' ? protocolsWords.error : protocolsWords.warning}: {message} {hint}
            </span>
          </li>
        ))}
        {notRunnable.map((reason) => (
          <li key={reason} data-severity="warning">
            <WarningIcon size={14} />
            <span>{protocolsWords.cannotBeRun(reason)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
