import { type LiveJob, leaderApi } from '@lcs/contract';
import { jobTitle } from '@lcs/domain';
import { Button, Group, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { broadcast } from '../api/broadcast.ts';
import { type DependentOnUnits, dependentsOnUnits } from '../jobs/dependents.ts';
import type { ShownJob } from '../jobs/job-catalog.ts';
import { StopAll } from '../jobs/stop-all.tsx';
import { StopDialog, useDependents } from '../jobs/stop-question.tsx';
import type { FleetJobs } from '../jobs/use-job-catalog.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { PlayIcon, SlidersIcon, StopIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { unitsWords } from '../words/units.ts';
import { usualStartWords } from '../words/usual-start.ts';
import { FleetStart } from './fleet-start.tsx';
import { runningOn, sharedSettings, startableOf } from './matrix-cells.ts';
import { SetValueDialog } from './set-value-dialog.tsx';
import styles from './units-matrix.module.css';
import { type JobOnUnits, missingStarts } from './usual-start.ts';
import { UsualStartDialog } from './usual-start-dialog.tsx';

interface BulkBarProps {
  readonly experiment: string;
  /** The selected units. */
  readonly chosen: readonly string[];
  /** No job starts on these. */
  readonly inactive: ReadonlySet<string>;
  readonly isOnline: (unit: string) => boolean;
  readonly nameOf: (unit: string) => string;
  readonly fleet: FleetJobs;
  readonly jobs: readonly LiveJob[];
}

const unitCount = ({ length }: readonly string[]): string => commonWords.unitCount(length);

const titleOf = (shown: readonly ShownJob[], job: string): string =>
  shown.find(({ name }) => name === job)?.title ?? jobTitle(job);

/** Starts and stops of jobs on the selected units, each job with one request. */
function useBulk({ experiment, chosen, inactive, nameOf, jobs }: BulkBarProps) {
  const { leader } = useServices();
  const fleetCommand = useUnitCommand(chosen, nameOf);
  const { sendSteps } = fleetCommand;
  const stop = ({ job, units }: JobOnUnits) => ({
    units,
    goal: { job, experiment, runs: false },
    request: () =>
      leader.stopWorkerJob({
        params: { reactor_unit: broadcast, job_name: job, experiment },
        query: { units: units.join(',') },
      }),
  });
  const { send } = fleetCommand;
  return {
    ...fleetCommand,
    lacksUsual: missingStarts(jobs, startableOf(chosen, inactive).startable, experiment).length > 0,
    running: runningOn(jobs, chosen, experiment),
    stop: (what: string, stops: readonly JobOnUnits[]): void => void sendSteps(what, stops.map(stop)),
    // Whatever is known to run: a unit that is offline ends all of it on its return.
    stopAll: (): void =>
      void send(commonWords.stopAllJobs, () =>
        leader.stopWorkerJobsOfExperiment({
          params: { reactor_unit: broadcast, experiment },
          query: { units: chosen.join(',') },
        }),
      ),
  };
}

/** What can be done with the selected units at once. */
export function BulkBar(props: BulkBarProps) {
  const { experiment, chosen, inactive, isOnline, nameOf, fleet, jobs } = props;
  const bulk = useBulk(props);
  const { command, dismiss, lacksUsual, running, sendSteps, stop, stopAll } = bulk;
  const may = useMay();
  const lastKnown = useLastKnown();
  const [startName, setStartName] = useState<string | null>(null);
  const [dialog, setDialog] = useState<'usual' | 'value' | 'stop' | null>(null);
  const close = (): void => setDialog(null);
  const dependentsOn = useDependents();
  /** The job that a person stops although running jobs need it. */
  const [asked, setAsked] = useState<{ readonly job: JobOnUnits; readonly dependents: readonly DependentOnUnits[] }>();
  const stopOne = (job: JobOnUnits, dependents: readonly DependentOnUnits[]): void => {
    setAsked(undefined);
    const others = dependents.map(({ name, units }) => ({ job: name, units }));
    stop(commonWords.stopNamed(titleOf(fleet.jobs, job.job)), [...others, job]);
  };
  const askStop = (job: JobOnUnits): void => {
    const dependents = dependentsOnUnits(job.units, (unit) => dependentsOn(unit, experiment, job.job));
    if (dependents.length === 0) stopOne(job, []);
    else setAsked({ job, dependents });
  };
  const starting = fleet.jobs.find(({ name }) => name === startName);
  const isBusy = command.phase === 'pending' || lastKnown !== null;
  const where = unitCount(chosen);
  const { startable, leftOut } = startableOf(chosen, inactive);
  return (
    <section
      className={styles.bulk}
      aria-label={commonWords.actionsOnSelectedUnits}
      data-empty={chosen.length === 0 || undefined}
    >
      <Text size="sm" fw={600}>
        {chosen.length === 0 ? unitsWords.selectHelp : unitsWords.countSelected(where)}
      </Text>
      {leftOut.length > 0 && (
        <Text size="sm">{unitsWords.inactiveUnits(leftOut.map(nameOf).join(', '), leftOut.length)}</Text>
      )}
      <Group gap={6} className={styles.acts ?? ''}>
        <Button
          size="xs"
          leftSection={<PlayIcon size={14} />}
          disabled={isBusy || !lacksUsual}
          onClick={() => {
            dismiss();
            setDialog('usual');
          }}
          {...(lacksUsual ? may(leaderApi.runWorkerJob) : {})}
        >
          {usualStartWords.startUsualJobsDialog}
        </Button>
        <Menu withinPortal>
          <Menu.Target>
            <Button size="xs" variant="default" disabled={isBusy || startable.length === 0}>
              {unitsWords.start}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {fleet.jobs.map(({ name, title, missing }) => (
              <Menu.Item
                key={name}
                disabled={missing !== null}
                onClick={() => {
                  dismiss();
                  setStartName(name);
                }}
                {...may(leaderApi.runWorkerJob)}
              >
                {title}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Button
          size="xs"
          variant="default"
          leftSection={<SlidersIcon size={14} />}
          disabled={isBusy || chosen.length === 0}
          onClick={() => setDialog('value')}
        >
          {unitsWords.setValueDialog}
        </Button>
        <Menu withinPortal>
          <Menu.Target>
            <Button
              size="xs"
              variant="default"
              {...(running.length > 0 && { className: 'danger' })}
              leftSection={<StopIcon size={14} />}
              disabled={chosen.length === 0}
            >
              {commonWords.stopDialog}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {running.map((each) => (
              <Menu.Item
                key={each.job}
                className="danger"
                onClick={() => askStop(each)}
                {...may(leaderApi.stopWorkerJob)}
              >
                {titleOf(fleet.jobs, each.job)}
              </Menu.Item>
            ))}
            <Menu.Divider />
            <Menu.Item className="danger" onClick={() => setDialog('stop')} {...may(leaderApi.stopWorkerJob)}>
              {unitsWords.allJobs}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {command.phase !== 'idle' && !(starting && command.phase === 'failed') && (
        <CommandStatus command={command} onDismiss={dismiss} />
      )}
      {starting && (
        <FleetStart
          experiment={experiment}
          units={startable}
          nameOf={nameOf}
          where={unitCount(startable)}
          fleet={bulk}
          job={starting}
          shortfalls={[
            ...(fleet.shortfalls.get(starting.name) ?? []).filter(({ unit }) => startable.includes(unit)),
            ...leftOut.map((unit) => ({ unit, reason: unitsWords.isInactive })),
          ]}
          onClose={() => setStartName(null)}
        />
      )}
      {dialog === 'usual' && (
        <UsualStartDialog
          {...{ experiment, nameOf, isOnline, fleet, jobs }}
          units={startable}
          onStart={(what, steps) => void sendSteps(what, steps)}
          onClose={close}
        />
      )}
      {dialog === 'value' && (
        <SetValueDialog
          experiment={experiment}
          selected={chosen.length}
          settings={sharedSettings(fleet.jobs, jobs, chosen, experiment)}
          jobs={jobs}
          nameOf={nameOf}
          onClose={close}
        />
      )}
      {asked !== undefined && (
        <StopDialog
          title={titleOf(fleet.jobs, asked.job.job)}
          where={
            asked.job.units.length === 1
              ? nameOf(asked.job.units[0] ?? '')
              : commonWords.unitCount(asked.job.units.length)
          }
          dependents={asked.dependents}
          onClose={() => setAsked(undefined)}
          onStopOnlyThis={() => stopOne(asked.job, [])}
          onStopAll={() => stopOne(asked.job, asked.dependents)}
        />
      )}
      <StopAll
        where={where}
        offline={chosen.filter((unit) => !isOnline(unit)).map(nameOf)}
        isOpen={dialog === 'stop'}
        onClose={close}
        onStop={() => {
          close();
          stopAll();
        }}
      />
    </section>
  );
}
