import type { Json, LiveJob } from '@lcs/contract';
import { ActionIcon, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { PauseIcon, PlayIcon, StopIcon } from '../ui/icons.tsx';
import { AdjustSetting } from './adjust-setting.tsx';
import { ControlLine } from './control-line.tsx';
import { isPending } from './job-control.ts';
import { needsNoQuestion, type ShownJob, wordsOf } from './job-forms.ts';
import styles from './job-row.module.css';
import { StartJob } from './start-job.tsx';
import { jobPhase, jobPhaseText } from './unit-facts.ts';
import { useJobControl } from './use-job-control.ts';

interface JobRowProps {
  readonly unit: string;
  readonly unitName: string;
  readonly experiment: string;
  readonly shown: ShownJob;
  readonly job: LiveJob | undefined;
  readonly isActive: boolean;
  /** Whether the stream has said which jobs run. */
  readonly isHeard: boolean;
}

const subtextOf = (shown: ShownJob, job: LiveJob | undefined): string | null => {
  const value: Json | undefined = shown.subtext === null ? undefined : job?.settings[shown.subtext];
  return typeof value === 'string' ? wordsOf(value) : null;
};

/** One job of a unit: its state, its settings, and what can be done with it. */
export function JobRow({ unit, unitName, experiment, shown, job, isActive, isHeard }: JobRowProps) {
  const { control, start, wish, putAway } = useJobControl({ unit, experiment, jobName: shown.name, job });
  const [isAsking, setAsking] = useState(false);
  const phase = jobPhase(job, isHeard);
  const isBusy = isPending(control);
  const subtext = subtextOf(shown, job);
  const isRunning = phase === 'on' || phase === 'paused' || phase === 'starting';
  const named = (verb: string): string => `${verb} ${shown.title} on ${unitName}`;

  return (
    <li className={styles.row} data-job={shown.name}>
      <div className={styles.name}>
        <span>{shown.title}</span>
        {subtext && <span className={styles.subtext}>{subtext}</span>}
      </div>
      <span className={styles.state} data-phase={phase}>
        {jobPhaseText[phase]}
      </span>
      <div className={styles.settings}>
        {isRunning &&
          shown.settings.map((setting) =>
            job?.settings[setting.key] === undefined ? null : (
              <AdjustSetting
                key={setting.key}
                setting={setting}
                value={job.settings[setting.key] ?? null}
                owner={unitName}
                isBusy={isBusy}
                onAdjust={(value) => wish({ kind: 'adjust', setting: setting.key, value })}
              />
            ),
          )}
      </div>
      <div className={styles.actions}>
        {!isRunning && (
          <Tooltip label={named('Start')} openDelay={500}>
            <ActionIcon
              variant="default"
              size="md"
              aria-label={named('Start')}
              disabled={isBusy || !isActive || phase === 'unknown'}
              onClick={() => (needsNoQuestion(shown.form) ? start({}) : setAsking(true))}
            >
              <PlayIcon size={15} />
            </ActionIcon>
          </Tooltip>
        )}
        {(phase === 'on' || phase === 'paused') && (
          <Tooltip label={named(phase === 'on' ? 'Pause' : 'Resume')} openDelay={500}>
            <ActionIcon
              variant="default"
              size="md"
              aria-label={named(phase === 'on' ? 'Pause' : 'Resume')}
              disabled={isBusy}
              onClick={() => wish({ kind: phase === 'on' ? 'pause' : 'resume' })}
            >
              {phase === 'on' ? <PauseIcon size={15} /> : <PlayIcon size={15} />}
            </ActionIcon>
          </Tooltip>
        )}
        {(isRunning || phase === 'lost') && (
          <Tooltip label={named('Stop')} openDelay={500}>
            <ActionIcon
              variant="default"
              size="md"
              className={styles.stop}
              aria-label={named('Stop')}
              disabled={control.phase === 'sending'}
              onClick={() => wish({ kind: 'stop' })}
            >
              <StopIcon size={15} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {phase === 'lost' && control.phase === 'idle' && (
        <p className={styles.reason}>{job?.reason ?? 'The unit went away while it ran. It may still run there.'}</p>
      )}
      <ControlLine control={control} onPutAway={putAway} />
      <StartJob
        shown={shown}
        where={unitName}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onStart={(options) => {
          setAsking(false);
          start(options);
        }}
      />
    </li>
  );
}
