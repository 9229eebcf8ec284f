import { leaderApi } from '@lcs/contract';
import { Button, Menu } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { broadcast } from '../api/broadcast.ts';
import type { ShownJob } from '../jobs/job-catalog.ts';
import { StopAll } from '../jobs/stop-all.tsx';
import { useCatalogProblem, useFleetJobs } from '../jobs/use-job-catalog.ts';
import { useJobs } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { commonWords } from '../words/common.ts';
import { unitsWords } from '../words/units.ts';
import { usualStartWords } from '../words/usual-start.ts';
import { FleetStart } from './fleet-start.tsx';
import { sharedSettings } from './matrix-cells.ts';
import { SetValueDialog } from './set-value-dialog.tsx';
import styles from './units-panel.module.css';
import { UsualStartDialog } from './usual-start-dialog.tsx';

interface AllUnitsProps {
  readonly experiment: string;
  readonly active: readonly string[];
  readonly nameOf: (unit: string) => string;
  readonly isOnline: (unit: string) => boolean;
}

interface FleetMenuProps {
  readonly jobs: readonly ShownJob[];
  readonly isPending: boolean;
  readonly onStartUsual: () => void;
  readonly onStart: (job: string) => void;
  readonly onSetValue: () => void;
  readonly onStopAll: () => void;
}

function FleetMenu({ jobs, isPending, onStartUsual, onStart, onSetValue, onStopAll }: FleetMenuProps) {
  const lastKnown = useLastKnown();
  const may = useMay();
  return (
    <Menu>
      <Menu.Target>
        <Button size="xs" variant="default" loading={isPending}>
          {unitsWords.allUnitsDialog}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={lastKnown !== null} onClick={onStartUsual} {...may(leaderApi.runWorkerJob)}>
          {usualStartWords.startUsualJobsDialog}
        </Menu.Item>
        <Menu.Divider />
        {jobs.map(({ name, title, missing }) => (
          <Menu.Item
            key={name}
            disabled={missing !== null || lastKnown !== null}
            onClick={() => onStart(name)}
            {...may(leaderApi.runWorkerJob)}
          >
            {commonWords.startNamed(title)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item disabled={lastKnown !== null} onClick={onSetValue} {...may(leaderApi.updateWorkerJob)}>
          {unitsWords.setValueDialog}
        </Menu.Item>
        <Menu.Item className="danger" onClick={onStopAll} {...may(leaderApi.stopWorkerJobsOfExperiment)}>
          {unitsWords.stopAllJobs}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const allText = ({ length }: readonly string[]): string => unitsWords.allUnitsNamed(length);

interface StartOnAllProps extends AllUnitsProps {
  /** The job that the address names; `null`: none. */
  readonly jobName: string | null;
  readonly onClose: () => void;
}

/** The form that starts one job on all active units, for an address that names the job; its result stays when it is closed. */
export function StartOnAll({ experiment, active, nameOf, isOnline, jobName, onClose }: StartOnAllProps) {
  const fleet = useUnitCommand(active, nameOf);
  const { command, dismiss } = fleet;
  const { jobs, shortfalls } = useFleetJobs(active, isOnline);
  const { isKnown } = useCatalogProblem();
  const job = jobs.find(({ name }) => name === jobName);
  const isUnknown = jobName !== null && isKnown && job === undefined;
  useEffect(() => {
    if (jobName !== null) dismiss();
  }, [jobName, dismiss]);
  // The address keeps no job that nobody can start.
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (isUnknown) close.current();
  }, [isUnknown]);
  return (
    <>
      {command.phase !== 'idle' && !(job && command.phase === 'failed') && (
        <div className={styles.command}>
          <CommandStatus command={command} onDismiss={dismiss} />
        </div>
      )}
      {job && (
        <FleetStart
          key={job.name}
          experiment={experiment}
          units={active}
          nameOf={nameOf}
          where={allText(active)}
          fleet={fleet}
          job={job}
          shortfalls={shortfalls.get(job.name) ?? []}
          onClose={onClose}
        />
      )}
    </>
  );
}

/** Commands to all active units of the experiment. */
export function AllUnits({ experiment, active, nameOf, isOnline }: AllUnitsProps) {
  const { leader } = useServices();
  const fleet = useUnitCommand(active, nameOf);
  const { command, send, sendSteps, dismiss } = fleet;
  const fleetJobs = useFleetJobs(active, isOnline);
  const { jobs, shortfalls } = fleetJobs;
  /** The job whose form is open. */
  const [startName, setStartName] = useState<string | null>(null);
  const [isStopping, setStopping] = useState(false);
  const [isSettingValue, setSettingValue] = useState(false);
  const [isStartingUsual, setStartingUsual] = useState(false);
  const running = useJobs() ?? [];
  const starting = jobs.find(({ name }) => name === startName);
  const where = allText(active);
  const openForm = (name: string): void => {
    dismiss();
    setStartName(name);
  };
  const stopAll = (): void => {
    setStopping(false);
    const params = { reactor_unit: broadcast, experiment };
    void send(commonWords.stopAllJobs, () => leader.stopWorkerJobsOfExperiment({ params }));
  };
  return (
    <>
      <FleetMenu
        jobs={jobs}
        isPending={command.phase === 'pending'}
        onStartUsual={() => {
          dismiss();
          setStartingUsual(true);
        }}
        onStart={openForm}
        onSetValue={() => setSettingValue(true)}
        onStopAll={() => setStopping(true)}
      />
      {isStartingUsual && (
        <UsualStartDialog
          {...{ experiment, nameOf, isOnline }}
          units={active}
          fleet={fleetJobs}
          jobs={running}
          onStart={(what, steps) => void sendSteps(what, steps)}
          onClose={() => setStartingUsual(false)}
        />
      )}
      {isSettingValue && (
        <SetValueDialog
          experiment={experiment}
          selected={active.length}
          settings={sharedSettings(jobs, running, active, experiment)}
          jobs={running}
          nameOf={nameOf}
          onClose={() => setSettingValue(false)}
        />
      )}
      {command.phase !== 'idle' && !(starting && command.phase === 'failed') && (
        <div className={styles.command}>
          <CommandStatus command={command} onDismiss={dismiss} />
        </div>
      )}
      {starting && (
        <FleetStart
          experiment={experiment}
          units={active}
          nameOf={nameOf}
          where={where}
          fleet={fleet}
          job={starting}
          shortfalls={shortfalls.get(starting.name) ?? []}
          onClose={() => setStartName(null)}
        />
      )}
      <StopAll
        where={where}
        offline={active.filter((unit) => !isOnline(unit)).map(nameOf)}
        isOpen={isStopping}
        onClose={() => setStopping(false)}
        onStop={stopAll}
      />
    </>
  );
}
