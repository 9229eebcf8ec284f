import type { ChartDescriptor } from '@lcs/contract';
import { Button, Skeleton, Text } from '@mantine/core';
import { useId, useRef, useState, useSyncExternalStore } from 'react';
import { problemText } from '../api/problem.ts';
import { useJobs } from '../api/queries.ts';
import { shownJobs } from '../units/job-forms.ts';
import styles from './chart-card.module.css';
import { ChartPlot } from './chart-plot.tsx';
import { isDensity, jobOfSource } from './chart-source.ts';
import type { ChartView } from './chart-view.ts';
import { useChartLines } from './use-chart-lines.ts';
import { useInSight } from './use-in-sight.ts';

interface ChartCardProps {
  readonly descriptor: ChartDescriptor;
  readonly view: ChartView;
}

interface EmptyProps {
  readonly descriptor: ChartDescriptor;
  readonly experiment: string;
  readonly isAllHidden: boolean;
}

/** Instead of an empty frame: why there is nothing to see, and what would change it. */
function Empty({ descriptor, experiment, isAllHidden }: EmptyProps) {
  const jobs = useJobs() ?? [];
  const jobName = jobOfSource(descriptor);
  const title = shownJobs.find(({ name }) => name === jobName)?.title;
  const runs = jobs.some((job) => job.job_name === jobName && job.experiment === experiment && job.state !== 'lost');
  const sentence = (): string => {
    if (isAllHidden) return 'All units with readings are hidden. Switch them on in the list above.';
    if (title === undefined) return 'No readings in this window.';
    if (runs) return `No readings in this window yet. “${title}” is running; its first reading comes soon.`;
    return `No readings in this window. Start “${title}” on a unit to see it here.`;
  };
  return (
    <Text size="sm" c="dimmed" className={styles.empty}>
      {sentence()}
    </Text>
  );
}

/** One chart with its title; it rests while it is out of sight. */
export function ChartCard({ descriptor, view }: ChartCardProps) {
  const titleId = useId();
  const [isLogarithmic, setLogarithmic] = useState(false);
  const card = useRef<HTMLElement>(null);
  const isInSight = useInSight(card);
  const wasInSight = useRef(false);
  wasInSight.current ||= isInSight;
  const { book, isKnown, error, isFetching, retry, isUnderstood } = useChartLines({
    descriptor,
    experiment: view.experiment,
    hours: view.hoursOf(descriptor),
    zoom: view.zoom,
    nowMs: view.nowMs,
    isWanted: wasInSight.current,
  });
  const units = useSyncExternalStore(book.subscribe, () =>
    [...new Set(book.lines().map(({ unit }) => unit))].join('\n'),
  );
  const shown = units.split('\n').filter((unit) => unit !== '' && !view.hiddenUnits.has(unit));
  const problem = error && problemText(error);

  return (
    <section ref={card} className={styles.card} aria-labelledby={titleId}>
      <div className={styles.head}>
        <h3 id={titleId} className={styles.title}>
          {descriptor.title}
        </h3>
        <span className={styles.unit}>{isUnderstood ? descriptor.y_axis_label : 'as measured'}</span>
        {isFetching && isKnown && <span className={styles.unit}>Loading…</span>}
        {isDensity(descriptor) && (
          <button
            type="button"
            className={styles.log}
            aria-pressed={isLogarithmic}
            aria-label={`Log scale for ${descriptor.title}`}
            title="Logarithmic scale: even growth is a straight line"
            onClick={() => setLogarithmic(!isLogarithmic)}
          >
            log
          </button>
        )}
      </div>
      {problem && (
        <div className={styles.problem} role="alert">
          <span>
            {problem.error} {problem.remediation}
          </span>
          <Button size="compact-xs" variant="default" onClick={() => void retry()} loading={isFetching}>
            Try again
          </Button>
        </div>
      )}
      {shown.length > 0 && (
        <ChartPlot
          descriptor={descriptor}
          view={view}
          book={book}
          isInSight={isInSight}
          isLogarithmic={isLogarithmic}
        />
      )}
      {shown.length === 0 && isKnown && (
        <Empty descriptor={descriptor} experiment={view.experiment} isAllHidden={units !== ''} />
      )}
      {shown.length === 0 && !isKnown && !problem && (
        <Skeleton className={styles.frame} role="status" aria-label={`Loading ${descriptor.title}`} />
      )}
    </section>
  );
}
