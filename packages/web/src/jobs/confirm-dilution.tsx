import type { LiveJob } from '@lcs/contract';
import { Button, Stack, Text } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import { ReasonField, useReason } from '../forms/reason-field.tsx';
import { unconfirmedCode } from '../tasks/unconfirmed-code.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { jobsWords } from '../words/jobs.ts';
import { dosingConsequences } from './dosing-consequence.ts';
import type { JobRequest, RequestState } from './job-control.ts';
import { useBiomassChoices } from './use-biomass-choices.ts';

type Adjust = Extract<JobRequest, { readonly kind: 'adjust' }>;

/** The change that a person must confirm first; `null`: none. */
function unconfirmed(control: RequestState): { readonly request: Adjust; readonly cause: string } | null {
  if (control.phase !== 'failed' || control.request.kind !== 'adjust') return null;
  return control.refusal.code === unconfirmedCode ? { request: control.request, cause: control.refusal.cause } : null;
}

interface ConfirmDilutionProps {
  readonly control: RequestState;
  readonly unit: string;
  readonly unitName: string;
  /** The running automation. */
  readonly job: LiveJob | undefined;
  readonly onConfirm: (request: Adjust) => void;
  readonly onCancel: () => void;
}

interface DilutionForecastProps extends Pick<ConfirmDilutionProps, 'unit' | 'unitName'> {
  readonly request: Adjust;
  readonly settings: LiveJob['settings'];
}

/** What the running automation does with the changed value, and how much medium that needs. */
function DilutionForecast({ request, unit, unitName, settings }: DilutionForecastProps) {
  const units = useMemo(() => [unit], [unit]);
  const nameOf = useCallback(() => unitName, [unitName]);
  const { reported } = useBiomassChoices(units, nameOf, true);
  const { automation_name: automation } = settings;
  const values = { ...settings, [request.setting]: request.value };
  const name = typeof automation === 'string' ? automation : null;
  return dosingConsequences(name, values, reported).map((text) => (
    <Text key={text} size="sm">
      {text}
    </Text>
  ));
}

/** Asks before a change of a running automation lets pumps dilute at once. */
export function ConfirmDilution({ control, unit, unitName, job, onConfirm, onCancel }: ConfirmDilutionProps) {
  const asked = unconfirmed(control);
  const reason = useReason();
  return (
    <Dialog title={jobsWords.diluteNow(unitName)} isOpen={asked !== null} onClose={onCancel}>
      <Stack gap="md">
        <Text size="sm">{asked?.cause}</Text>
        {asked !== null && job !== undefined && (
          <DilutionForecast request={asked.request} unit={unit} unitName={unitName} settings={job.settings} />
        )}
        <ReasonField {...reason} />
        <DialogActions>
          <Button variant="default" onClick={onCancel} data-autofocus>
            {jobsWords.keepOldValue}
          </Button>
          <Button
            color="red.9"
            disabled={reason.isMissing}
            onClick={() => asked && onConfirm({ ...asked.request, confirmed: { reason: reason.stated } })}
          >
            {jobsWords.changeAndDilute}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
