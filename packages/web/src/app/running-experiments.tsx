import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useExperiments } from '../services/queries.ts';
import styles from './shell.module.css';

/** The list of experiments has the rest. */
const most = 8;

/** Links to the experiments that have units now, on every page. */
export function RunningExperiments({
  pathname,
  onChoose,
}: {
  readonly pathname: string;
  readonly onChoose: () => void;
}) {
  const { data = [] } = useExperiments();
  const running = data
    .filter(({ worker_count, ended_at }) => worker_count > 0 && ended_at === undefined)
    .slice(0, most);
  if (running.length === 0) return null;
  return (
    <>
      <p className={styles.group} id="running-experiments">
        Running
      </p>
      <ul className={styles.list} aria-labelledby="running-experiments">
        {running.map(({ experiment }) => {
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
    </>
  );
}
