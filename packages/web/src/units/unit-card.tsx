import { type LiveJob, leaderApi, type UnitStatus } from '@lcs/contract';
import { ActionIcon, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, useCallback, useMemo, useState } from 'react';
import type { AssignedWorker } from '../assignments/assigned-workers.ts';
import { jobOf } from '../jobs/job-phase.ts';
import { JobRow } from '../jobs/job-row.tsx';
import { StopAll } from '../jobs/stop-all.tsx';
import { useShownJobs } from '../jobs/use-job-catalog.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useLastKnown, useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { DotsIcon } from '../ui/icons.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { commonWords } from '../words/common.ts';
import { unitNameText } from '../words/unit-name.ts';
import { unitsWords } from '../words/units.ts';
import { UnitActuations } from './unit-actuations.tsx';
import { UnitCamera } from './unit-camera.tsx';
import styles from './unit-card.module.css';
import { UnitRemarks } from './unit-remarks.tsx';
import { livenessText } from './unit-status.ts';
import { DataAge, targetsOf, UnitValues } from './unit-values.tsx';

interface UnitCardProps {
  readonly experiment: string;
  readonly worker: AssignedWorker;
  readonly colour: string;
  readonly status: UnitStatus | undefined;
  /** `undefined`: the live stream has not sent the running jobs yet. */
  readonly jobs: readonly LiveJob[] | undefined;
  readonly onUnassign: (unit: string) => void;
}

function Liveness({ status }: { readonly status: UnitStatus | undefined }) {
  const nowMs = useLeaderNow();
  const text = useTicking(() => livenessText(status, nowMs()));
  const lastKnown = useLastKnown();
  return (
    <span className={styles.liveness} data-liveness={lastKnown === null ? (status?.liveness ?? 'unknown') : 'unknown'}>
      {lastKnown === null ? text : commonWords.lastKnown(lastKnown)}
    </span>
  );
}

interface UnitHeadProps {
  readonly worker: AssignedWorker;
  readonly name: string;
  readonly status: UnitStatus | undefined;
  readonly onExplain: () => void;
  readonly onStop: () => void;
  readonly onUnassign: (unit: string) => void;
}

/** The names of a unit, whether it answers, and its menu. */
function UnitHead({ worker, name, status, onExplain, onStop, onUnassign }: UnitHeadProps) {
  const { unit, label, model } = worker;
  const may = useMay();
  return (
    <div className={styles.head}>
      <div className={styles.names}>
        <h3 className={styles.name}>
          <Link to="/units/$unit" params={{ unit }} className="page-link">
            {name}
          </Link>
        </h3>
        <span className={styles.model}>
          {[label === null ? null : unit, model ?? commonWords.noModelSet].filter(Boolean).join(' · ')}
          {status?.is_simulated && <span className={styles.badge}>{commonWords.simulated}</span>}
        </span>
      </div>
      <div className={styles.presence}>
        <Liveness status={status} />
        <DataAge unit={unit} />
      </div>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={commonWords.actionsFor(name)}>
            <DotsIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onExplain}>{unitsWords.whyDialog}</Menu.Item>
          <Menu.Item className="danger" onClick={onStop} {...may(leaderApi.stopWorkerJobsOfExperiment)}>
            {unitsWords.stopAllItsJobs}
          </Menu.Item>
          <Menu.Item onClick={() => onUnassign(unit)} {...may(leaderApi.unassignWorker)}>
            {unitsWords.unassign}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
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
  const { unit, label, isActive } = worker;
  const name = label ?? unit;
  const fullName = unitNameText(unit, label);
  const shownJobs = useShownJobs(unit, status?.liveness === 'online');
  const job = (jobName: string): LiveJob | undefined => jobOf(jobs ?? [], unit, experiment, jobName);
  const own = useMemo(
    () => jobs?.filter((each) => each.reactor_unit === unit && each.experiment === experiment),
    [jobs, unit, experiment],
  );
  const units = useMemo(() => [unit], [unit]);
  const nameOf = useCallback(() => fullName, [fullName]);
  const { leader } = useServices();
  const { command, send, dismiss } = useUnitCommand(units, nameOf);
  const [dialog, setDialog] = useState<'actuations' | 'stop' | null>(null);
  const close = (): void => setDialog(null);
  const stopAll = (): void => {
    close();
    const params = { reactor_unit: unit, experiment };
    void send(commonWords.stopAllJobs, () => leader.stopWorkerJobsOfExperiment({ params }));
  };
  const common = { unit, unitName: fullName, experiment };
  return (
    <li className={styles.card} data-unit={unit} style={{ '--unit-colour': colour } as React.CSSProperties}>
      <UnitHead
        worker={worker}
        name={name}
        status={status}
        onExplain={() => setDialog('actuations')}
        onStop={() => setDialog('stop')}
        onUnassign={onUnassign}
      />
      {status && <UnitRemarks status={status} isActive={isActive} />}
      {command.phase !== 'idle' && <CommandStatus command={command} onDismiss={dismiss} />}
      <UnitValues unit={unit} targets={targetsOf(job('stirring'), job('temperature_automation'))} jobs={own} />
      <UnitCamera {...common} />
      <ul className={styles.jobs} aria-label={commonWords.jobsOf(name)}>
        {shownJobs.map((shown) => (
          <PartBoundary key={shown.name} part={shown.title} resetKey={jobs}>
            <JobRow {...common} shown={shown} job={job(shown.name)} isActive={isActive} isKnown={jobs !== undefined} />
          </PartBoundary>
        ))}
      </ul>
      {dialog === 'actuations' && <UnitActuations {...common} onClose={close} />}
      <StopAll
        where={fullName}
        offline={status?.liveness === 'online' ? [] : [fullName]}
        isOpen={dialog === 'stop'}
        onClose={close}
        onStop={stopAll}
      />
    </li>
  );
});
