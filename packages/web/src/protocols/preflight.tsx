import type { PreflightReport } from '@lcs/contract';
import { Checkbox, Skeleton, Stack, Text } from '@mantine/core';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { plainWords } from '../ui/plain-words.ts';
import styles from './editor.module.css';

/** What the check before a start has found: first what blocks the start. */
export function PreflightFindings({ report }: { readonly report: PreflightReport }) {
  if (report.findings.length === 0)
    return (
      <Text size="sm">
        <CheckIcon size={14} /> Nothing stands in the way of the start ({report.checks.length} checks).
      </Text>
    );
  return (
    <ul className={styles.findings} aria-label="Findings before the start">
      {report.findings.map(({ severity, code, reactor_unit, message, remediation }) => (
        <li key={`${code} ${reactor_unit} ${message}`} data-severity={severity === 'blocks' ? 'error' : 'warning'}>
          <WarningIcon size={14} />
          <span>
            {severity === 'blocks' ? 'Blocks the start: ' : 'Warning: '}
            {reactor_unit !== null && `${reactor_unit}: `}
            {plainWords(message)} {plainWords(remediation)}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface PreflightProps {
  readonly report: PreflightReport | undefined;
  readonly isIgnored: boolean;
  readonly onIgnore: (isIgnored: boolean) => void;
}

export const isBlocking = (report: PreflightReport | undefined): boolean =>
  report?.findings.some(({ severity }) => severity === 'blocks') ?? false;

/** The check before a start; findings that block it must be accepted. */
export function Preflight({ report, isIgnored, onIgnore }: PreflightProps) {
  if (report === undefined) return <Skeleton height={40} role="status" aria-label="Checking what the run needs" />;
  return (
    <Stack gap="xs">
      <PreflightFindings report={report} />
      {isBlocking(report) && (
        <Checkbox
          label="Start although findings block it"
          checked={isIgnored}
          onChange={(event) => onIgnore(event.currentTarget.checked)}
        />
      )}
    </Stack>
  );
}
