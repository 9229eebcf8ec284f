import { type Calibration, leaderApi } from '@lcs/contract';
import { curveAt, type Pump } from '@lcs/domain';
import { Button, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useCallback, useEffect, useMemo, useReducer, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useCalibrations } from '../calibrations/use-calibrations.ts';
import { NumberField } from '../forms/number-field.tsx';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { digitsText, valueText } from '../ui/number-text.ts';
import { Panel } from '../ui/panel.tsx';
import { commonWords } from '../words/common.ts';
import { unitWords } from '../words/unit.ts';
import { amountFault, doseForecast } from './dose-forecast.ts';
import { type Dose, doseRunText, isDosing, nextDoseRun, pumpedByRun } from './dose-run.ts';
import styles from './unit-page.module.css';
import type { UnitFacts } from './use-unit.ts';
import { useVial } from './use-vial.ts';

const pumps = {
  media: { job: 'add_media', label: commonWords.medium, device: 'media_pump', verb: commonWords.add },
  alt_media: {
    job: 'add_alt_media',
    label: commonWords.alternativeMedium,
    device: 'alt_media_pump',
    verb: commonWords.add,
  },
  waste: { job: 'remove_waste', label: commonWords.waste, device: 'waste_pump', verb: commonWords.remove },
} as const satisfies Record<Pump, object>;

const pumpNames = ['media', 'alt_media', 'waste'] as const;
const amountUnits = ['mL', 's'] as const;
type AmountUnit = (typeof amountUnits)[number];

/** What a run of a pump for a time moves, by its active calibration; undefined: it has none. */
function volumeOfRun(
  calibrations: Readonly<Record<string, readonly Calibration[]>> | undefined,
  pump: Pump,
  durationS: number,
): number | undefined {
  const active = calibrations?.[pumps[pump].device]?.find(({ is_active }) => is_active);
  return active === undefined ? undefined : Math.max(0, curveAt(active.curve_data_, durationS));
}

/** A run that the live stream has not shown by then was shorter than the pause between its messages. Chosen. */
const notSeenMs = 5_000;
/** How long the end of a run is shown. */
const doneShownMs = 60_000;

const pumpJobs: readonly string[] = pumpNames.map((name) => pumps[name].job);

function doseOf(pump: Pump, amount: number, amountUnit: AmountUnit): Dose {
  const { label, device: output, job } = pumps[pump];
  const what = unitWords.dose[amountUnit](valueText(amount), label.toLowerCase());
  return { what, done: (pump === 'waste' ? unitWords.removed : unitWords.added)(label), output, job, amount };
}

/** The end of a stopped run and the run that sets the level may be newer than the run itself. */
const newestRuns = 5;

/** The run of a pump by hand, from its order until the volume after it has been read. */
function useDoseRun({ unit, jobs }: UnitFacts, experiment: string, isRefused: boolean) {
  const { clock, leader } = useServices();
  const cache = useQueryClient();
  const [run, dispatch] = useReducer(nextDoseRun, { phase: 'idle' });
  // That of a unit which is away may still run.
  const pumpRuns = jobs.some(({ job_name, state }) => pumpJobs.includes(job_name) && state !== 'disconnected');
  useEffect(() => dispatch({ type: 'pump', runs: pumpRuns }), [pumpRuns]);
  useEffect(() => {
    if (isRefused) dispatch({ type: 'refused' });
  }, [isRefused]);
  const { phase } = run;
  const ended = run.phase === 'reading' ? run.dose : null;
  useEffect(() => {
    if (phase === 'running') return clock.after(notSeenMs, () => dispatch({ type: 'not-seen' }));
    if (phase === 'done') return clock.after(doneShownMs, () => dispatch({ type: 'forgotten' }));
    if (phase !== 'reading') return undefined;
    const newestRunsOf = ({ output }: Dose) =>
      leader.listWorkerActuations({ params: { reactor_unit: unit }, query: { output, limit: newestRuns } });
    void Promise.allSettled([
      ended === null ? [] : newestRunsOf(ended),
      cache.invalidateQueries({ queryKey: queryKeys.vial(unit, experiment) }),
    ]).then(([newest]) => {
      // The result line says that the volume is not known.
      const pumped = ended === null || newest.status === 'rejected' ? null : pumpedByRun(ended, newest.value);
      dispatch({ type: 'volume-read', pumped });
    });
    return undefined;
  }, [phase, ended, clock, leader, cache, unit, experiment]);
  return { run, dispatch };
}

interface ManualDosingProps {
  readonly facts: UnitFacts;
  readonly experiment: string;
}

/** Runs a pump once, with what it will do to the vial before it is started. */
export function ManualDosing({ facts, experiment }: ManualDosingProps) {
  const { unit, fullName: name, status, model, jobs, worker } = facts;
  const { leader } = useServices();
  const may = useMay();
  const lastKnown = useLastKnown();
  const isOnline = status?.liveness === 'online';
  const vial = useVial(unit, experiment, isOnline).data;
  const calibrations = useCalibrations(unit, isOnline).data;
  const units = useMemo(() => [unit], [unit]);
  const nameOf = useCallback(() => name, [name]);
  const { command, send, dismiss } = useUnitCommand(units, nameOf);
  const { run, dispatch } = useDoseRun(facts, experiment, command.phase === 'failed');
  const [pump, setPump] = useState<Pump>('media');
  const [amount, setAmount] = useState<number | string>(1);
  const [amountUnit, setAmountUnit] = useState<AmountUnit>('mL');
  const { job, label, verb } = pumps[pump];
  const isRunning = jobs.some(({ job_name, state }) => job_name === job && state === 'ready');
  const isAmount = typeof amount === 'number' && amount > 0;
  const volumeMl = !isAmount ? 0 : amountUnit === 'mL' ? amount : volumeOfRun(calibrations, pump, amount);
  const forecast = doseForecast(pump, volumeMl, {
    volumeMl: vial?.values.current_volume_ml ?? null,
    wasteTubeMl: vial?.values.efflux_tube_volume_ml ?? null,
    fullMl: model?.reactor_max_fill_volume_ml ?? null,
    mediaLeftMl: vial?.mediaLeftMl ?? null,
  });
  const isBusy = isDosing(run);
  const runText = doseRunText(run);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isAmount || forecast.fault !== null || isBusy) return;
    const options = { [amountUnit === 'mL' ? 'ml' : 'duration']: amount, source_of_event: 'UI' };
    const params = { reactor_unit: unit, job, experiment };
    const dose = doseOf(pump, amount, amountUnit);
    dispatch({ type: 'ordered', dose });
    void send(
      `${verb} ${dose.what}`,
      () => leader.runWorkerJob({ params, body: { options, env: { JOB_SOURCE: 'user' } } }),
      () => dispatch({ type: 'accepted' }),
    );
  };
  const stop = (): void => {
    const params = { reactor_unit: unit, job_name: job, experiment };
    dispatch({ type: 'stopped' });
    void send(commonWords.stopNamed(label.toLowerCase()), () => leader.stopWorkerJob({ params }));
  };
  return (
    <Panel title={unitWords.doseByHand}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <SegmentedControl
            fullWidth
            aria-label={unitWords.pump}
            data={pumpNames.map((value) => ({ value, label: pumps[value].label }))}
            value={pump}
            onChange={(value) => setPump(pumpNames.find((each) => each === value) ?? 'media')}
          />
          <div className={styles.dose}>
            <NumberField
              label={unitWords.amount}
              value={amount}
              onChange={setAmount}
              error={amountFault(amount) ?? (isBusy ? null : forecast.fault)}
            />
            <Select
              label={unitWords.amountIn}
              data={[
                { value: 'mL', label: unitWords.millilitres },
                { value: 's', label: unitWords.seconds },
              ]}
              value={amountUnit}
              allowDeselect={false}
              onChange={(value) => setAmountUnit(amountUnits.find((each) => each === value) ?? 'mL')}
              comboboxProps={{ withinPortal: false }}
            />
            {isRunning ? (
              <Button color="red.9" onClick={stop} {...may(leaderApi.stopWorkerJob)}>
                {unitWords.stopPump}
              </Button>
            ) : (
              <Button
                type="submit"
                loading={command.phase === 'pending' || isBusy}
                disabled={!isAmount || forecast.fault !== null || lastKnown !== null || worker?.is_active !== 1}
                {...may(leaderApi.runWorkerJob)}
              >
                {verb} {amountUnit === 'mL' ? unitWords.byVolume : unitWords.byTime}
              </Button>
            )}
          </div>
          {runText !== null && (
            <Text size="sm" fw={600} role="status">
              {lastKnown === null ? runText : commonWords.textLastKnown(lastKnown, runText)}
            </Text>
          )}
          {!isBusy && (
            <Text size="sm" role="status">
              {isAmount &&
                amountUnit === 's' &&
                volumeMl !== undefined &&
                unitWords.aboutVolume(digitsText(volumeMl, 2))}
              {forecast.text}
            </Text>
          )}
          {(command.phase === 'pending' || command.phase === 'failed') && (
            <CommandStatus command={command} onDismiss={dismiss} />
          )}
        </Stack>
      </form>
    </Panel>
  );
}
