import { Alert, Box, Button, Text } from '@mantine/core';
import { ReasonField, useReason } from '../forms/reason-field.tsx';
import { unconfirmedCode } from '../tasks/unconfirmed-code.ts';
import type { Refusal } from '../tasks/unit-answers.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { jobsWords } from '../words/jobs.ts';
import type { Confirmation } from './job-control.ts';

export type StartRefusal = Refusal & {
  /** Its label; `null`: there is one unit only. */
  readonly unit: string | null;
  /** Its name, where there are several units. */
  readonly unitId?: string;
};

/** The end of a long form may be out of view: a refusal must be visible. */
const show = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

export const isUnconfirmed = ({ code }: StartRefusal): boolean => code === unconfirmedCode;

interface ConfirmDilutionAlertProps {
  readonly refusals: readonly StartRefusal[];
  readonly onConfirm: (confirmed: Confirmation) => void;
  /** A start, or a change of running jobs. */
  readonly action?: 'start' | 'change';
}

/** Asks for a confirmation before pumps run. */
export function ConfirmDilutionAlert({ refusals, onConfirm, action = 'start' }: ConfirmDilutionAlertProps) {
  const reason = useReason();
  return (
    <Alert ref={show} color="orange" variant="light" icon={<WarningIcon />} aria-label={jobsWords.pumpsMayDiluteAtOnce}>
      <Text fw={600}>{jobsWords.pumpsMayDiluteAtOnce}</Text>
      {refusals.map(({ unit, cause }) => (
        <Text key={unit} size="sm">
          {unit === null ? cause : `${unit}: ${cause}`}
        </Text>
      ))}
      <Text size="sm">{jobsWords.dilutionRefused[action]}</Text>
      {/* Enter would send the form around it, without the confirmation. */}
      <Box onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}>
        <ReasonField {...reason} />
      </Box>
      <Button color="red.9" mt="xs" disabled={reason.isMissing} onClick={() => onConfirm({ reason: reason.stated })}>
        {jobsWords.confirmDilution[action]}
      </Button>
    </Alert>
  );
}

/** The reason of each unit that refused a start. */
export function RefusalAlerts({ refusals }: { readonly refusals: readonly StartRefusal[] }) {
  return refusals.map(({ unit, error, cause, remediation }) => (
    <Alert
      key={`${unit} ${error}`}
      ref={show}
      color="red"
      variant="light"
      icon={<WarningIcon />}
      title={unit === null ? error : `${unit}: ${error}`}
    >
      {cause !== '' && cause !== error && <Text size="sm">{cause}</Text>}
      {remediation !== '' && <Text size="sm">{remediation}</Text>}
    </Alert>
  ));
}
