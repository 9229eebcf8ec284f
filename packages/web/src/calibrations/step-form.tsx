import { leaderApi, type SessionStep, type StepProgress } from '@lcs/contract';
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldFaults } from '../forms/field-faults.ts';
import { FormFields } from '../forms/form-field.tsx';
import { useMay } from '../services/use-may.ts';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import { openSessionsWords } from '../words/open-sessions.ts';
import { uiWords } from '../words/ui.ts';
import styles from './calibrations.module.css';
import { initialOf } from './session-step.ts';
import { fieldOf, inputsOf, unclearNumbers } from './step-fields.ts';

interface StepFormProps {
  readonly step: SessionStep;
  readonly progress: StepProgress | undefined;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onAdvance: (inputs: Readonly<Record<string, unknown>>) => void;
  readonly onStop: () => void;
  readonly isStopping: boolean;
  readonly onAbort: () => void;
}

const submitLabel = ({ step_type, metadata }: SessionStep): string =>
  metadata.primary_action_label ?? (step_type === 'action' ? commonWords.start : commonWords.continue);

function ActionProgress({
  progress,
  isStopping,
  onStop,
}: {
  readonly progress: StepProgress | undefined;
  readonly isStopping: boolean;
  readonly onStop: () => void;
}) {
  const may = useMay();
  const percent = Math.round(100 * (progress?.fraction ?? 0));
  return (
    <div className={styles.work}>
      <Text size="sm" role="status">
        {progress === undefined ? calibrationsWords.unitIsWorking : `${progress.message}: ${percent} %`}
      </Text>
      <Progress value={percent} aria-label={calibrationsWords.progress} />
      <Group mt="xs">
        <Button color="red.9" onClick={onStop} loading={isStopping} {...may(leaderApi.advanceCalibrationSession)}>
          {calibrationsWords.stopNow}
        </Button>
      </Group>
    </div>
  );
}

/** The fields and buttons of a step. Each step has a new form, with the values that the step suggests. */
export function StepForm({ step, progress, isPending, error, onAdvance, onStop, isStopping, onAbort }: StepFormProps) {
  const form = useForm({ initialValues: initialOf(step.fields) });
  const isBusy = isPending || progress !== undefined;
  const may = useMay();
  const mayAdvance = may(leaderApi.advanceCalibrationSession);
  const faults = fieldFaults(
    error,
    step.fields.map(({ name }) => name),
  );
  const unclear = unclearNumbers(step.fields, form.values);
  const getInputProps = (name: string) => ({ ...form.getInputProps(name), error: unclear[name] ?? faults[name] });
  return (
    <form onSubmit={form.onSubmit((values) => onAdvance(inputsOf(step.fields, values)))} noValidate>
      <LeaveGuard what={uiWords.thisStep} isUnsaved={form.isDirty() && !isBusy} />
      <Stack gap="sm">
        <FormFields fields={step.fields.map(fieldOf)} form={{ getInputProps }} isDisabled={isBusy} />
        {error !== null && Object.keys(faults).length === 0 && !isBusy && <ProblemAlert error={error} />}
        {isBusy && <ActionProgress progress={progress} isStopping={isStopping} onStop={onStop} />}
        <Group gap="xs">
          <Button type="submit" disabled={isBusy || Object.keys(unclear).length > 0} {...mayAdvance}>
            {submitLabel(step)}
          </Button>
          {step.metadata.actions?.map(({ label, inputs }) => (
            <Button key={label} variant="default" disabled={isBusy} onClick={() => onAdvance(inputs)} {...mayAdvance}>
              {label}
            </Button>
          ))}
          <Button variant="subtle" color="red" onClick={onAbort} {...may(leaderApi.abortCalibrationSession)}>
            {openSessionsWords.cancelProcedure}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
