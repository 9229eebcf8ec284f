import { minuteMs, type ProfileRunDetails } from '@lcs/contract';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { unitsOfRun } from '../protocols/run-state.ts';
import { actionsByPath, itemText, untilText } from '../protocols/run-words.ts';
import { nextGroups } from '../protocols/step-groups.ts';
import { usePlan } from '../protocols/use-profile-file.ts';
import { useRun, useRunningProfiles } from '../protocols/use-run.ts';
import { useLastKnown, useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { momentText } from '../time/moment-text.ts';
import { commonWords } from '../words/common.ts';
import { runningProfilesWords } from '../words/running-profiles.ts';
import styles from './profile-lines.module.css';

/** The live stream reports the actions of a run; what it does not report is at most this old. */
const pollMs = minuteMs;

type Waiting = ProfileRunDetails['waiting'][number];

/** What a run does: that it is paused or asks, else its next step with its time. */
function useStepText(run: ProfileRunDetails, item: Waiting | undefined, units: string): string {
  const { data: plan } = usePlan(run.profile_text, undefined, true);
  const known = useMemo(() => actionsByPath(plan), [plan]);
  const nowMs = useLeaderNow();
  const lastKnown = useLastKnown();
  return useTicking(() => {
    if (run.asks_about !== null) return runningProfilesWords.asksAboutMissedAction;
    if (item === undefined) return runningProfilesWords.noStepLeft;
    const step = itemText(item, known);
    if (item.is_evaluated === true) return runningProfilesWords.now(step);
    const next = runningProfilesWords.nextOn(units, step);
    if (item.planned_at === null) return `${runningProfilesWords.paused}, ${next}`;
    // The run may have been changed since the last response of the leader.
    if (lastKnown !== null) return commonWords.textAtTime(next, momentText(Date.parse(item.planned_at), nowMs()));
    return `${next} (${untilText(Date.parse(item.planned_at), nowMs())})`;
  });
}

interface RunLineProps {
  readonly experiment: string;
  readonly run: string;
  readonly name: string;
  /** Of a tile; null: of all units of the run. */
  readonly unit: string | null;
}

function RunLine({ experiment, run: run_id, name, unit }: RunLineProps) {
  const { data: run } = useRun({ experiment, run_id }, { waiting: 'next_of_each', pollMs });
  if (run === undefined || run.outcome !== null) return null;
  if (unit !== null && !unitsOfRun(run).includes(unit)) return null;
  return <KnownRunLine {...{ experiment, name, unit, run }} />;
}

function KnownRunLine({
  experiment,
  name,
  unit,
  run,
}: Omit<RunLineProps, 'run'> & { readonly run: ProfileRunDetails }) {
  const [first] = useMemo(
    () => nextGroups(run.waiting.filter(({ reactor_unit }) => unit === null || reactor_unit === unit)),
    [run.waiting, unit],
  );
  const unitCount = unitsOfRun(run).length;
  const text = useStepText(run, first?.step, unit === null && unitCount > 1 ? (first?.units.join(', ') ?? '') : '');
  const link = (
    <Link
      to="/experiments/$experiment/profiles/$run"
      params={{ experiment, run: run.run_id }}
      className="page-link in-text"
    >
      {name}
    </Link>
  );
  return (
    <p className={styles.line} data-profile={run.run_id}>
      {unit === null ? runningProfilesWords.runOfExperiment(link, experiment) : runningProfilesWords.runOfUnit(link)}
      {': '}
      {text}
    </p>
  );
}

/** The runs of profiles that are under way in an experiment, each with its step and a link to it. */
export function ProfileLines({ experiment, unit }: { readonly experiment: string; readonly unit: string | null }) {
  const { data = [] } = useRunningProfiles(experiment);
  return data.map(({ run_id: run, job_id, settings }) =>
    run === null ? null : (
      <RunLine key={job_id} {...{ experiment, unit, run }} name={String(settings.experiment_profile_name)} />
    ),
  );
}
