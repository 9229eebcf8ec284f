import type { Json, LiveJob, UnitStatus } from '@lcs/contract';
import { ActionIcon, Menu } from '@mantine/core';
import { memo, useCallback, useMemo, useState } from 'react';
import type { AssignedWorker } from '../assignments/assigned-workers.ts';
import { jobOf } from '../jobs/job-phase.ts';
import { JobRow } from '../jobs/job-row.tsx';
import { StopAll } from '../jobs/stop-all.tsx';
import { useShownJobs } from '../jobs/use-job-catalog.ts';
import { useServices } from '../services/services.tsx';
import { useLastKnown, useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { DotsIcon, WarningIcon } from '../ui/icons.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { UnitActuations } from './unit-actuations.tsx';
import { UnitCamera } from './unit-camera.tsx';
import styles from './unit-card.module.css';
import { livenessText, unitRemarks } from './unit-status.ts';
import { DataAge, UnitValues } from './unit-values.tsx';

interface UnitCardProps {
  readonly experiment: string;
  readonly worker: AssignedWorker;
  readonly colour: string;
  readonly status: UnitStatus | undefined;
  /** `undefined`: the live stream has not sent the running jobs yet. */
  readonly jobs: readonly LiveJob[] | undefined;
  readonly onUnassign: (unit: string) => void;
}

/** The targets that running jobs hold, by the source that shows how well. */
const targetsOf = (
  stirring: LiveJob | undefined,
  temperature: LiveJob | undefined,
): Readonly<Record<string, Json | undefined>> => ({
  stirring_rpm: stirring?.settings.target_rpm,
  temperature: temperature?.settings.target_temperature,
});

function Liveness({ status }: { readonly status: UnitStatus | undefined }) {
  const nowMs = useLeaderNow();
  const text = useTicking(() => livenessText(status, nowMs()));
  const lastKnown = useLastKnown();
  return (
    <span className={styles.liveness} data-liveness={lastKnown === null ? (status?.liveness ?? 'unknown') : 'unknown'}>
      {lastKnown === null ? text : `Last known ${lastKnown}`}
    </span>
  );
}

/** One unit of an experiment: its liveness, its readings, its jobs. */
export const UnitCard = memo(function UnitCard({
  experiment,
  worker,
  colour,
  status,
  jobs,
  onUnassign,
}: UnitCardProps) {
  const { unit, label, model, isActive } = worker;
  const name = label ?? unit;
  const shownJobs = useShownJobs(unit, status?.liveness === 'online');
  const job = (jobName: string): LiveJob | undefined => jobOf(jobs ?? [], unit, experiment, jobName);
  const units = useMemo(() => [unit], [unit]);
  const nameOf = useCallback(() => name, [name]);
  const { leader } = useServices();
  const { command, send, dismiss } = useUnitCommand(units, nameOf);
  const [isStopping, setStopping] = useState(false);
  const [isAskingWhy, setAskingWhy] = useState(false);
  const stopAll = (): void => {
    setStopping(false);
    const params = { reactor_unit: unit, experiment };
    void send('Stop all jobs', () => leader.stopWorkerJobsOfExperiment({ params }));
  };
  const remarks = status ? unitRemarks(status, isActive) : [];
  return (
    <li className={styles.card} data-unit={unit} style={{ '--unit-colour': colour } as React.CSSProperties}>
      <div className={styles.head}>
        <div className={styles.names}>
          <h3 className={styles.name}>{name}</h3>
          <span className={styles.model}>
            {[label === null ? null : unit, model ?? 'no model set'].filter(Boolean).join(' · ')}
            {status?.is_simulated && <span className={styles.badge}>simulated</span>}
          </span>
        </div>
        <div className={styles.presence}>
          <Liveness status={status} />
          <DataAge unit={unit} />
        </div>
        <Menu>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
              <DotsIcon />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setAskingWhy(true)}>What it did, and why…</Menu.Item>
            <Menu.Item className="danger" onClick={() => setStopping(true)}>
              Stop all its jobs…
            </Menu.Item>
            <Menu.Item onClick={() => onUnassign(unit)}>Unassign…</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      {remarks.length > 0 && (
        <ul className={styles.remarks}>
          {remarks.map(({ severity, text }) => (
            <li key={text} data-severity={severity}>
              <WarningIcon size={14} /> {text}
            </li>
          ))}
        </ul>
      )}
      {command.phase !== 'idle' && <CommandStatus command={command} onDismiss={dismiss} />}
      <UnitValues unit={unit} targets={targetsOf(job('stirring'), job('temperature_automation'))} />
      <UnitCamera unit={unit} unitName={name} experiment={experiment} />
      <ul className={styles.jobs} aria-label={`Jobs of ${name}`}>
        {shownJobs.map((shown) => (
          <PartBoundary key={shown.name} part={shown.title} resetKey={jobs}>
            <JobRow
              unit={unit}
              unitName={name}
              experiment={experiment}
              shown={shown}
              job={job(shown.name)}
              isActive={isActive}
              isKnown={jobs !== undefined}
            />
          </PartBoundary>
        ))}
      </ul>
      {isAskingWhy && (
        <UnitActuations unit={unit} unitName={name} experiment={experiment} onClose={() => setAskingWhy(false)} />
      )}
      <StopAll where={name} isOpen={isStopping} onClose={() => setStopping(false)} onStop={stopAll} />
    </li>
  );
});
