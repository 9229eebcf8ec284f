import { leaderApi } from '@lcs/contract';
import { type LedChannel, ledChannels, ledIntensityJob } from '@lcs/domain';
import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { limitsFault, NumberField } from '../forms/number-field.tsx';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { digitsText, valueText } from '../ui/number-text.ts';
import { Panel } from '../ui/panel.tsx';
import { commonWords } from '../words/common.ts';
import { unitWords } from '../words/unit.ts';
import styles from './unit-page.module.css';
import type { UnitFacts } from './use-unit.ts';
import { useLedActuations, useLedLabels } from './use-vial.ts';
import { ledLevels, readingLed } from './vial-state.ts';

const percentLimits = { unit: '%', min: 0, max: 100 };

interface ChannelProps {
  readonly channel: LedChannel;
  readonly level: number;
  readonly isDisabled: boolean;
  /** Why it cannot be lit by hand now; null: it can. */
  readonly taken: string | null;
  readonly onSet: (channel: LedChannel, percent: number) => void;
}

function Channel({ channel, level, isDisabled, taken, onSet }: ChannelProps) {
  const [entered, setEntered] = useState<number | string>('');
  const may = useMay();
  const gate = may(leaderApi.runWorkerJob);
  if (taken !== null)
    return (
      <li className={styles.light}>
        <span className={styles.wholeRow}>{unitWords.ledNow(channel, taken)}</span>
      </li>
    );
  return (
    <li className={styles.light}>
      <span>{unitWords.ledNow(channel, level === 0 ? unitWords.off : `${digitsText(level, 3)} %`)}</span>
      <NumberField
        aria-label={unitWords.intensityOfLed(channel)}
        {...percentLimits}
        value={entered}
        onChange={setEntered}
      />
      <Button
        variant="default"
        disabled={isDisabled || typeof entered !== 'number' || limitsFault(percentLimits, entered) !== null}
        aria-label={unitWords.setLed(channel)}
        onClick={() => typeof entered === 'number' && onSet(channel, entered)}
        {...gate}
      >
        {unitWords.set}
      </Button>
      <Button
        variant="default"
        disabled={isDisabled}
        aria-label={unitWords.ledOff(channel)}
        onClick={() => onSet(channel, 0)}
        {...gate}
      >
        {commonWords.off}
      </Button>
    </li>
  );
}

/** Lights LEDs by hand, each until it is set again or the light stops. */
export function ManualLight({ facts, experiment }: { readonly facts: UnitFacts; readonly experiment: string }) {
  const { unit, fullName: name, jobs, worker } = facts;
  const { leader } = useServices();
  const cache = useQueryClient();
  const lastKnown = useLastKnown();
  const units = useMemo(() => [unit], [unit]);
  const nameOf = useCallback(() => name, [name]);
  const { command, send, dismiss } = useUnitCommand(units, nameOf);
  const isLit = jobs.some(
    ({ job_name, state }) => (job_name === ledIntensityJob.name || job_name === 'led_automation') && state === 'ready',
  );
  const infrared = readingLed(useLedLabels(unit), jobs);
  const levels = ledLevels(useLedActuations(unit, isLit));
  const set = (channel: LedChannel, percent: number): void => {
    const params = { reactor_unit: unit, job: ledIntensityJob.name, experiment };
    const body = { options: { [channel]: percent, source_of_event: 'UI' }, env: { JOB_SOURCE: 'user' } };
    void send(
      percent === 0 ? unitWords.ledOff(channel) : unitWords.ledAtPercent(channel, valueText(percent)),
      () => leader.runWorkerJob({ params, body }),
      () => void cache.invalidateQueries({ queryKey: queryKeys.ledActuations(unit) }),
    );
  };
  return (
    <Panel title={unitWords.lightByHand}>
      <Text size="sm" c="dimmed">
        {unitWords.lightHelp}
      </Text>
      <ul className={styles.rows}>
        {ledChannels.map((channel) => (
          <Channel
            key={channel}
            channel={channel}
            level={levels.get(channel) ?? 0}
            taken={channel === infrared ? unitWords.ledReadsOd : null}
            isDisabled={command.phase === 'pending' || lastKnown !== null || worker?.is_active !== 1}
            onSet={set}
          />
        ))}
      </ul>
      {command.phase !== 'idle' && <CommandStatus command={command} onDismiss={dismiss} />}
    </Panel>
  );
}
