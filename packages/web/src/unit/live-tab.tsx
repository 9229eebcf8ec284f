import { leaderApi } from '@lcs/contract';
import { dosingAutomationJob, pumpingJobs } from '@lcs/domain';
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { HeldJobs } from '../jobs/held-jobs.tsx';
import { isRunning, jobPhase, jobStateText } from '../jobs/job-phase.ts';
import { LackingJobs } from '../jobs/lacking-jobs.tsx';
import { dosingText } from '../jobs/running-dosing.ts';
import { lackingJobs } from '../jobs/start-needs.ts';
import { useShownJobs } from '../jobs/use-job-catalog.ts';
import { LatestProvider, useReadingsOf } from '../latest/use-latest.tsx';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useLastKnown, useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { momentText } from '../time/moment-text.ts';
import { StopIcon } from '../ui/icons.tsx';
import { Elapsed } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { changeText, outputText } from '../units/actuation-text.ts';
import { doubtOf, oldNote } from '../units/reading-note.ts';
import { UnitCamera } from '../units/unit-camera.tsx';
import { DataAge, targetsOf, UnitValues } from '../units/unit-values.tsx';
import { useActuations } from '../units/use-actuations.ts';
import { commonWords } from '../words/common.ts';
import { unitWords } from '../words/unit.ts';
import styles from './unit-page.module.css';
import type { UnitFacts } from './use-unit.ts';
import { useLedActuations, useVial } from './use-vial.ts';
import { VialDrawing } from './vial-drawing.tsx';
import { lastDose, ledLevels, runningPumps, shownVolumeMl, type VialState } from './vial-state.ts';

const lightingJobs: readonly string[] = ['led_intensity', 'led_automation'];

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The time that the drawing is of when the unit or the leader is away; `null`: now. */
function useDrawnAt({ status }: UnitFacts): string | null {
  const lastKnown = useLastKnown();
  const nowMs = useLeaderNow();
  const answeredAt = useTicking(() =>
    status === undefined || status.liveness === 'online' || status.last_heard_at === null
      ? ''
      : momentText(Date.parse(status.last_heard_at), nowMs()),
  );
  if (lastKnown !== null) return lastKnown;
  return answeredAt === '' ? null : answeredAt;
}

interface ExperimentOfUnit {
  readonly facts: UnitFacts;
  readonly experiment: string;
}

function Drawing({ facts, experiment }: ExperimentOfUnit) {
  const { unit, name, status, model, jobs, job, isKnown } = facts;
  const latest = useReadingsOf(unit);
  const recordedMl = latest.get('liquid_volume');
  const { data: vial } = useVial(unit, experiment, status?.liveness === 'online');
  const actuations = useActuations(unit, null).data?.pages[0]?.actuations ?? [];
  const isLit = jobs.some(({ job_name, state }) => lightingJobs.includes(job_name) && state === 'ready');
  const leds = useLedActuations(unit, isLit);
  const nowMs = useLeaderNow();
  const pumps = useTicking(() => [...runningPumps(jobs, actuations, nowMs())].join(' '));
  const drawnAt = useDrawnAt(facts);
  const isStirring = jobPhase(job('stirring')) === 'on';
  const temperature = job('temperature_automation');
  const shown = (source: string) => ({
    source,
    reading: latest.get(source),
    jobs: isKnown ? jobs : undefined,
    // The drawing as a whole has this time.
    knownAt: '',
  });
  const oldOd = useTicking(() => oldNote(shown('od'), nowMs()));
  const oldTemperature = useTicking(() => oldNote(shown('temperature'), nowMs()));
  const state: VialState = {
    notes: {
      od: oldOd || (latest.has('od') ? doubtOf('od', isKnown ? jobs : undefined) : ''),
      temperature: oldTemperature,
    },
    volumeMl: shownVolumeMl(vial?.values.current_volume_ml, recordedMl?.y),
    wasteTubeMl: vial?.values.efflux_tube_volume_ml ?? null,
    fullMl: model?.reactor_max_fill_volume_ml ?? null,
    od: latest.get('od')?.y ?? null,
    temperatureC: latest.get('temperature')?.y ?? null,
    stirringRpm: isStirring ? (latest.get('stirring_rpm')?.y ?? numberOf(job('stirring')?.settings.target_rpm)) : 0,
    heaterPercent: numberOf(temperature?.settings.heater_duty_cycle),
    leds: ledLevels(leds),
    pumps: new Set((['media', 'alt_media', 'waste'] as const).filter((pump) => pumps.split(' ').includes(pump))),
  };
  const dose = lastDose(actuations);
  return (
    <div>
      <VialDrawing name={name} state={state} lastKnown={drawnAt} />
      <Text size="sm" ta="center" c="dimmed">
        {dose === undefined
          ? unitWords.noDoseYet
          : unitWords.lastDose(
              outputText(dose.output).toLowerCase(),
              changeText(dose),
              <Elapsed sinceMs={Date.parse(dose.timestamp)} />,
            )}
      </Text>
      <StopPumps facts={facts} experiment={experiment} />
    </div>
  );
}

/** Beside the drawing of the pumps that run: what stops them. */
function StopPumps({ facts, experiment }: ExperimentOfUnit) {
  const { unit, fullName, jobs } = facts;
  const { leader } = useServices();
  const may = useMay();
  const units = useMemo(() => [unit], [unit]);
  const nameOf = useCallback(() => fullName, [fullName]);
  const { command, sendEach, dismiss } = useUnitCommand(units, nameOf);
  const pumping = jobs.filter(
    (job) => job.experiment === experiment && pumpingJobs.includes(job.job_name) && isRunning(jobPhase(job)),
  );
  const stop = (): void => {
    const requests = pumping.map(({ job_name }) => ({
      unit,
      request: () => leader.stopWorkerJob({ params: { reactor_unit: unit, job_name, experiment } }),
    }));
    void sendEach(unitWords.stopPumps, requests);
  };
  if (pumping.length === 0 && command.phase === 'idle') return null;
  return (
    <div className={styles.stopPumps}>
      {pumping.length > 0 && (
        <Button
          size="xs"
          color="red.9"
          leftSection={<StopIcon size={14} />}
          onClick={stop}
          {...may(leaderApi.stopWorkerJob)}
        >
          {unitWords.stopPumps}
        </Button>
      )}
      {command.phase !== 'idle' && <CommandStatus command={command} onDismiss={dismiss} />}
    </div>
  );
}

/** The jobs that run on the unit, as a line each; they are changed on the tab of control. */
function RunningJobs({ facts }: { readonly facts: UnitFacts }) {
  const { unit, status, job, jobs, experiment, isKnown } = facts;
  const own = useMemo(() => jobs.filter((each) => each.experiment === experiment), [jobs, experiment]);
  const lacking = useMemo(() => lackingJobs({ jobs: own, capabilities: [], descriptors: [] }), [own]);
  const shown = useShownJobs(unit, status?.liveness === 'online');
  const running = shown.flatMap(({ name, title }) => {
    const phase = jobPhase(job(name), isKnown);
    const running = job(name);
    const text =
      phase === 'on' && name === dosingAutomationJob.name && running !== undefined
        ? unitWords.onWith(dosingText(running.settings))
        : jobStateText(phase, running);
    return phase === 'off' || phase === 'unknown' ? [] : [{ name, title, phase, text }];
  });
  const lastKnown = useDrawnAt(facts);
  return (
    <Panel
      title={lastKnown === null ? unitWords.runningJobs : unitWords.runningJobsLastKnown(lastKnown)}
      aside={
        <Link to="/units/$unit" params={{ unit }} search={{ tab: 'control' }} className="page-link">
          {unitWords.startAndChangeJobs}
        </Link>
      }
    >
      {running.length === 0 ? (
        <Text size="sm" c="dimmed">
          {unitWords.noJobRuns}
        </Text>
      ) : (
        <ul className={styles.jobs}>
          {running.map(({ name, title, phase, text }) => (
            <li key={name}>
              <span>{title}</span>
              <span
                data-phase={lastKnown === null ? phase : 'unknown'}
                data-lacks={lacking.some((each) => each.name === name) || undefined}
              >
                {lastKnown === null ? text : commonWords.textAtTime(text, lastKnown)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {lastKnown === null && <LackingJobs jobs={own} />}
      {experiment !== null && <HeldJobs unit={unit} experiment={experiment} />}
    </Panel>
  );
}

function Live({ facts, experiment }: ExperimentOfUnit) {
  const { unit, name, job, jobs, isKnown } = facts;
  return (
    <LatestProvider>
      <div className={styles.live}>
        <Drawing facts={facts} experiment={experiment} />
        <div className={styles.column}>
          <section aria-label={unitWords.latestReadings}>
            <UnitValues
              unit={unit}
              targets={targetsOf(job('stirring'), job('temperature_automation'))}
              jobs={isKnown ? jobs : undefined}
              isLarge
            />
            <DataAge unit={unit} />
          </section>
          <RunningJobs facts={facts} />
          <UnitCamera unit={unit} unitName={name} experiment={experiment} />
        </div>
      </div>
    </LatestProvider>
  );
}

/** A unit that is in no experiment, and what to do about it. */
export const FreeUnit = ({ unit }: { readonly unit: string }) => (
  <Text>
    {unitWords.unitIsFree(
      unit,
      <Link to="/experiments" className="page-link in-text">
        {commonWords.experimentsInline}
      </Link>,
    )}
  </Text>
);

/** The unit as it is now. */
export const LiveTab = ({ facts }: { readonly facts: UnitFacts }) =>
  facts.experiment === null ? <FreeUnit unit={facts.unit} /> : <Live facts={facts} experiment={facts.experiment} />;
