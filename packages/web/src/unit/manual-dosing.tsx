import { type Calibration, leaderApi } from '@lcs/contract';
import { curveAt, type Pump } from '@lcs/domain';
import { Button, NumberInput, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useCallback, useMemo, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useCalibrations } from '../calibrations/use-calibrations.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { Panel } from '../ui/panel.tsx';
import { amountFault, doseForecast } from './dose-forecast.ts';
import styles from './unit-page.module.css';
import type { UnitFacts } from './use-unit.ts';
import { useVial } from './use-vial.ts';

const pumps = {
  media: { job: 'add_media', label: 'Medium', device: 'media_pump', verb: 'Add' },
  alt_media: { job: 'add_alt_media', label: 'Alternative medium', device: 'alt_media_pump', verb: 'Add' },
  waste: { job: 'remove_waste', label: 'Waste', device: 'waste_pump', verb: 'Remove' },
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

interface ManualDosingProps {
  readonly facts: UnitFacts;
  readonly experiment: string;
}

/** Runs a pump once, with what it will do to the vial before it is started. */
export function ManualDosing({ facts, experiment }: ManualDosingProps) {
  const { unit, name, status, model, jobs, worker } = facts;
  const { leader } = useServices();
  const cache = useQueryClient();
  const may = useMay();
  const lastKnown = useLastKnown();
  const isOnline = status?.liveness === 'online';
  const vial = useVial(unit, experiment, isOnline).data;
  const calibrations = useCalibrations(unit, isOnline).data;
  const units = useMemo(() => [unit], [unit]);
  const nameOf = useCallback(() => name, [name]);
  const { command, send, dismiss } = useUnitCommand(units, nameOf);
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
  const reread = (): void => void cache.invalidateQueries({ queryKey: queryKeys.vial(unit, experiment) });
  const what = `${verb} ${amount} ${amountUnit} ${label.toLowerCase()}`;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isAmount || forecast.fault !== null) return;
    const options = { [amountUnit === 'mL' ? 'ml' : 'duration']: amount, source_of_event: 'UI' };
    const params = { reactor_unit: unit, job, experiment };
    void send(what, () => leader.runWorkerJob({ params, body: { options, env: { JOB_SOURCE: 'user' } } }), reread);
  };
  const stop = (): void => {
    const params = { reactor_unit: unit, job_name: job, experiment };
    void send(`Stop ${label.toLowerCase()}`, () => leader.stopWorkerJob({ params }), reread);
  };
  return (
    <Panel title="Dose by hand">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <SegmentedControl
            fullWidth
            aria-label="Pump"
            data={pumpNames.map((value) => ({ value, label: pumps[value].label }))}
            value={pump}
            onChange={(value) => setPump(pumpNames.find((each) => each === value) ?? 'media')}
          />
          <div className={styles.dose}>
            <NumberInput
              label="Amount"
              value={amount}
              onChange={setAmount}
              clampBehavior="none"
              hideControls
              error={amountFault(amount) ?? forecast.fault}
            />
            <Select
              label="In"
              data={[
                { value: 'mL', label: 'mL' },
                { value: 's', label: 'seconds' },
              ]}
              value={amountUnit}
              allowDeselect={false}
              onChange={(value) => setAmountUnit(amountUnits.find((each) => each === value) ?? 'mL')}
              comboboxProps={{ withinPortal: false }}
            />
            {isRunning ? (
              <Button color="red.9" onClick={stop} {...may(leaderApi.stopWorkerJob)}>
                Stop the pump
              </Button>
            ) : (
              <Button
                type="submit"
                loading={command.phase === 'pending'}
                disabled={!isAmount || forecast.fault !== null || lastKnown !== null || worker?.is_active !== 1}
                {...may(leaderApi.runWorkerJob)}
              >
                {verb} {amountUnit === 'mL' ? 'volume' : 'by time'}
              </Button>
            )}
          </div>
          <Text size="sm" role="status">
            {isAmount &&
              amountUnit === 's' &&
              volumeMl !== undefined &&
              `About ${Number(volumeMl.toPrecision(2))} mL. `}
            {forecast.text}
          </Text>
          {command.phase !== 'idle' && <CommandStatus command={command} onDismiss={dismiss} />}
        </Stack>
      </form>
    </Panel>
  );
}
