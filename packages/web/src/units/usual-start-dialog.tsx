import { type LiveJob, leaderApi } from '@lcs/contract';
import { Button, NativeSelect, ScrollArea, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { broadcast } from '../api/broadcast.ts';
import { UnitBoxes, withChosen } from '../assignments/unit-boxes.tsx';
import { type FieldValue, FormField } from '../forms/form-field.tsx';
import { Consequences } from '../jobs/consequences.tsx';
import type { ShownJob } from '../jobs/job-catalog.ts';
import { enteredIn, fieldFault, fieldsFor } from '../jobs/job-forms.ts';
import { descriptorOf } from '../jobs/start-fields.ts';
import { FieldWarnings, LastUsed } from '../jobs/start-job.tsx';
import { type FleetJobs, useFreshLastUsed } from '../jobs/use-job-catalog.ts';
import { temperatureWarnings } from '../jobs/value-warnings.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import type { CommandStep } from '../tasks/use-unit-command.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { commonWords } from '../words/common.ts';
import { unitsWords } from '../words/units.ts';
import {
  isTemperatureValid,
  missingStarts,
  profileConsequences,
  type TemperatureChoice,
  temperatureJob,
  type UsualStart,
  usualConsequences,
  usualMode,
  usualPlan,
} from './usual-start.ts';

interface TemperatureFieldsProps {
  readonly job: ShownJob;
  readonly choice: TemperatureChoice;
  readonly onChange: (choice: TemperatureChoice) => void;
}

/** The mode of the temperature and its values. */
function TemperatureFields({ job, choice, onChange }: TemperatureFieldsProps) {
  const { mode, values } = choice;
  const warnings = temperatureWarnings(
    mode,
    Object.fromEntries(fieldsFor(job.form, mode).map((field) => [field.name, enteredIn(field, values)])),
  );
  return (
    <>
      <NativeSelect
        label={job.title}
        data={[
          ...job.form.variants
            .filter(({ missing }) => missing === null)
            .map(({ name, label }) => ({ value: name, label })),
          { value: '', label: unitsWords.leaveOff },
        ]}
        value={mode ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ mode: value === '' ? null : value, values: {} })}
      />
      {mode !== null &&
        fieldsFor(job.form, mode)
          .filter(({ isMain }) => isMain)
          .map((field) => {
            const change = (value: FieldValue): void =>
              onChange({
                mode,
                values: { ...values, [field.name]: typeof value === 'number' ? value : String(value) },
              });
            return (
              <div key={`${mode} ${field.name}`}>
                <FormField
                  field={descriptorOf(field, null, false)}
                  value={enteredIn(field, values)}
                  fault={fieldFault(field, values)}
                  onChange={change}
                />
                <LastUsed field={field} values={values} onUse={change} />
                <FieldWarnings texts={warnings[field.name] ?? []} />
              </div>
            );
          })}
    </>
  );
}

interface UsualStartDialogProps {
  readonly experiment: string;
  /** The units to choose from; all are chosen at first. */
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  readonly isOnline: (unit: string) => boolean;
  readonly fleet: FleetJobs;
  readonly jobs: readonly LiveJob[];
  readonly onStart: (what: string, steps: readonly CommandStep[]) => void;
  readonly onClose: () => void;
}

type OpenedProps = UsualStartDialogProps & { readonly shown: readonly ShownJob[] };

/** The dialog with its proposals. They stay as they were when it opened: what arrives later must not change what a person has read. */
function Opened({ experiment, units, nameOf, isOnline, fleet, shown, jobs, onStart, onClose }: OpenedProps) {
  const { leader } = useServices();
  const may = useMay();
  const temperatureControl = shown.find(({ name, missing }) => name === temperatureJob && missing === null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(units));
  const [proposed] = useState<TemperatureChoice>(() => ({
    mode: temperatureControl === undefined ? null : usualMode(temperatureControl.form),
    values: {},
  }));
  const [temperature, setTemperature] = useState(proposed);
  useUnsavedWork(temperature !== proposed || chosen.size !== units.length);
  const addressed = units.filter((unit) => chosen.has(unit));
  const { shortfalls } = fleet;
  const plan = usualPlan({ shown, shortfalls, jobs, units: addressed, experiment, temperature });
  const isHeatOff = missingStarts(jobs, addressed, experiment).some(({ job }) => job === temperatureJob);
  const isPossible = plan.starts.length > 0 && isTemperatureValid(temperatureControl?.form, temperature);
  const start = ({ job, units: of, options }: UsualStart): CommandStep => ({
    units: of,
    goal: { job: job.name, experiment, runs: true },
    request: () =>
      leader.runWorkerJob({
        params: { reactor_unit: broadcast, job: job.name, experiment },
        query: { units: of.join(',') },
        body: { options: { ...options }, env: { JOB_SOURCE: 'user' } },
      }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isPossible) return;
    onClose();
    // One after the other: each uses what the one before it measures.
    onStart(unitsWords.startUsualJobs, plan.starts.map(start));
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {units.length > 1 && (
          <ScrollArea.Autosize mah="30vh">
            <UnitBoxes
              title={commonWords.units}
              list={units.map((unit) => ({ unit, note: isOnline(unit) ? null : commonWords.offline }))}
              nameOf={nameOf}
              chosen={chosen}
              onChoose={(of, isChosen) => setChosen(withChosen(chosen, of, isChosen))}
            />
          </ScrollArea.Autosize>
        )}
        {temperatureControl !== undefined && isHeatOff && (
          <TemperatureFields job={temperatureControl} choice={temperature} onChange={setTemperature} />
        )}
        {plan.impossible.map(({ title, unit, reason }) => (
          <Text key={`${title} ${unit}`} size="sm">
            {unitsWords.jobNotOnUnit(title, nameOf(unit), reason)}
          </Text>
        ))}
        <DialogActions>
          <Consequences
            texts={
              addressed.length === 0
                ? [unitsWords.chooseAtLeastOneUnit]
                : [...usualConsequences(plan, nameOf, jobs), ...profileConsequences(jobs, experiment)]
            }
          />
          <Button variant="default" onClick={onClose}>
            {commonWords.cancel}
          </Button>
          <Button
            type="submit"
            data-autofocus
            disabled={!isPossible}
            {...(isPossible ? may(leaderApi.runWorkerJob) : {})}
          >
            {unitsWords.startOn(
              addressed.length === 1 ? nameOf(addressed[0] ?? '') : commonWords.unitCount(addressed.length),
            )}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  );
}

function Content(props: UsualStartDialogProps) {
  const { fleet, onClose } = props;
  // The values of the last runs come with all jobs at once.
  const isFresh = useFreshLastUsed({ asOfMs: Math.min(...fleet.jobs.map(({ asOfMs }) => asOfMs)) });
  const [shown, setShown] = useState<readonly ShownJob[] | null>(null);
  if (shown === null && isFresh && fleet.jobs.length > 0) setShown(fleet.jobs);
  if (shown !== null) return <Opened {...props} shown={shown} />;
  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        {unitsWords.loadingLastRuns}
      </Text>
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {commonWords.cancel}
        </Button>
      </DialogActions>
    </Stack>
  );
}

/** Starts what every culture needs on several units, after one sentence about what that does; no pump. */
export const UsualStartDialog = (props: UsualStartDialogProps) => (
  <Dialog isOpen onClose={props.onClose} title={unitsWords.startUsualJobs} size="lg">
    <Content {...props} />
  </Dialog>
);
