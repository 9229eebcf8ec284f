import type { Assignment } from '@lcs/contract';
import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { byActivity, runningExperiments } from '../experiments/running-units.ts';
import { useAssignments, useExperiments } from '../services/queries.ts';
import { useOfAllUnits } from '../services/use-by-unit.ts';
import styles from './shell.module.css';

/** The list of experiments has the rest. */
const most = 8;
const none: readonly Assignment[] = [];

/** Links to the experiments that have units now, on every page: those that run, and those of which nothing runs. */
export function RunningExperiments({
  pathname,
  onChoose,
}: {
  readonly pathname: string;
  readonly onChoose: () => void;
}) {
  const { data = [] } = useExperiments();
  const { data: assignments = none } = useAssignments();
  // Empty: not known yet. A text, so that only a change of it draws the list again.
  const names = useOfAllUnits((jobs) =>
    jobs === undefined ? '' : JSON.stringify([...runningExperiments({ jobs, assignments })]),
  );
  if (names === '') return null;
  const running: readonly string[] = JSON.parse(names);
  const shown = data.filter(({ worker_count, ended_at }) => worker_count > 0 && ended_at === undefined).slice(0, most);
  return byActivity(shown, new Set(running)).map(({ title, experiments }) => {
    const id = `experiments-${title.replace(' ', '-').toLowerCase()}`;
    return (
      <div key={title}>
        <p className={styles.group} id={id}>
          {title}
        </p>
        <ul className={styles.list} aria-labelledby={id}>
          {experiments.map(({ experiment }) => {
            const isShown = pathname.startsWith(`/experiments/${encodeURIComponent(experiment)}/`);
            return (
              <li key={experiment}>
                <NavLink
                  renderRoot={(props) => <Link to="/experiments/$experiment" params={{ experiment }} {...props} />}
                  onClick={onChoose}
                  label={experiment}
                  active={isShown}
                  aria-current={isShown ? 'page' : undefined}
                  className={styles.entry}
                />
              </li>
            );
          })}
        </ul>
      </div>
    );
  });
}
