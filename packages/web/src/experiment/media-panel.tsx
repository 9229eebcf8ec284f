import { type LiveJob, leaderApi, mediaRateHours, noMediaTotals, ownValue } from '@lcs/contract';
import { dosingAutomationJob } from '@lcs/domain';
import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { NumberField } from '../forms/number-field.tsx';
import { isRunning, jobOf, jobPhase } from '../jobs/job-phase.ts';
import { useReadingsOf } from '../latest/use-latest.tsx';
import { useAssignments, useMedia } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useJobsOfUnit, useStatusOfUnit } from '../services/use-by-unit.ts';
import { useMay } from '../services/use-may.ts';
import { useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { NoBottleSize } from '../ui/no-bottle-size.tsx';
import { digitsText } from '../ui/number-text.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { useFullNames } from '../ui/unit-name.tsx';
import { oldNote } from '../units/reading-note.ts';
import { useKnownAt } from '../units/use-known-at.ts';
import { commonWords } from '../words/common.ts';
import { experimentWords } from '../words/experiment.ts';
import { useShownExperiment } from './experiment-context.ts';
import { bottleForecast, leftFault, type MediaUse, plannedMlPerDay, summedUse } from './media-forecast.ts';
import styles from './media-panel.module.css';

const nothing: MediaUse = { totals: noMediaTotals, mediaMlPerHour: null };

const ml = (value: number): string => `${digitsText(value, 3)} mL`;

/** Used and left of all units of the experiment. */
function useMediaUse(experiment: string) {
  const query = useMedia(experiment, { isFollowed: true });
  const { data } = query;
  const usageOf = useCallback(
    (unit: string): MediaUse => {
      const own = data && ownValue(data, unit);
      return own?.totals === undefined
        ? nothing
        : { totals: own.totals, mediaMlPerHour: own.dosing?.media_ml_per_hour ?? null };
    },
    [data],
  );
  return { query, usageOf };
}

type Refusal = Extract<ReturnType<typeof useUnitCommand>['command'], { phase: 'failed' }>['refusals'][number];

const refusalText = ({ error, cause, remediation }: Refusal): string =>
  [...new Set([error, cause, remediation])].filter((line) => line !== '').join(' ');

/** What is left in the bottle of medium; Enter, or leaving the field, sends it to the unit. */
function LeftField({
  unit,
  leftMl,
  isAway,
}: {
  readonly unit: string;
  readonly leftMl: number | null;
  readonly isAway: boolean;
}) {
  const { name: experiment, nameOf } = useShownExperiment();
  const { leader } = useServices();
  const cache = useQueryClient();
  const may = useMay();
  const units = useMemo(() => [unit], [unit]);
  const { command, send, dismiss } = useUnitCommand(units, useFullNames(nameOf));
  const [typed, setTyped] = useState<string | number | null>(null);
  const fault = typed === null ? null : leftFault(typed);
  const refusal = command.phase === 'failed' ? command.refusals[0] : undefined;
  const save = (): void => {
    if (typeof typed !== 'number' || fault !== null || typed === leftMl) {
      if (typed === '' || typed === leftMl) setTyped(null);
      return;
    }
    const params = { reactor_unit: unit, experiment };
    void send(
      experimentWords.bottle,
      () => leader.updateBioreactor({ params, body: { values: { media_bottle_left_ml: typed } } }),
      () => {
        cache.setQueryData(queryKeys.media(experiment), (before) => {
          const own = before && ownValue(before, unit);
          const totals = { ...(own?.totals ?? noMediaTotals), media_left_ml: typed };
          return { ...before, [unit]: { altMediaRate: 0, mediaRate: 0, ...own, totals } };
        });
        setTyped(null);
      },
    );
  };
  return (
    <NumberField
      aria-label={experimentWords.mediumLeftOf(unit)}
      placeholder={commonWords.notKnown}
      unit="mL"
      value={typed ?? (leftMl === null ? '' : Number(leftMl.toPrecision(4)))}
      onChange={(value) => {
        if (command.phase === 'failed') dismiss();
        setTyped(value);
      }}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
      }}
      error={fault ?? (refusal && refusalText(refusal))}
      disabled={isAway || command.phase === 'pending'}
      {...may(leaderApi.updateBioreactor)}
    />
  );
}

interface RowProps {
  readonly unit: string;
  readonly use: MediaUse;
  /** Whether the unit is in the experiment, and the experiment goes on. */
  readonly isHere: boolean;
}

type UseOfUnit = Pick<RowProps, 'unit' | 'use'> & {
  /** Of the experiment. */
  readonly jobs: readonly LiveJob[];
  readonly dosing: LiveJob | undefined;
};

/** The end of the bottle of one unit; of a unit or leader that is away only since when. */
function useForecast({ unit, use, jobs, dosing }: UseOfUnit, knownAt: string): readonly string[] {
  const readings = useReadingsOf(unit);
  const nowMs = useLeaderNow();
  const phase = jobPhase(dosing);
  const lines = useTicking(() => {
    if (knownAt !== '') return knownAt;
    const currentOf = (source: string): number | undefined => {
      const reading = readings.get(source);
      return oldNote({ source, reading, jobs, knownAt }, nowMs()) === '' ? reading?.y : undefined;
    };
    const culture = { growthPerHour: currentOf('growth_rate'), volumeMl: currentOf('liquid_volume') };
    const state = {
      leftMl: use.totals.media_left_ml,
      dosing: phase === 'paused' ? 'paused' : dosing !== undefined && isRunning(phase) ? 'runs' : 'off',
      mlPerHour: use.mediaMlPerHour,
      plannedMlPerDay: dosing && plannedMlPerDay(dosing, culture),
    } as const;
    return bottleForecast(state, nowMs()).join('\n');
  });
  return lines.split('\n');
}

const Left = ({ text, leftMl }: { readonly text: string; readonly leftMl: number | null }) =>
  leftMl !== null && (
    <span className={styles.small}>
      {ml(leftMl)} {text}
    </span>
  );

function Row(props: RowProps) {
  const { unit, use, isHere } = props;
  const { name: experiment, nameOf } = useShownExperiment();
  const { totals, mediaMlPerHour } = use;
  const knownAt = useKnownAt(useStatusOfUnit(unit));
  const jobs = useJobsOfUnit(unit).filter((job) => job.experiment === experiment);
  const dosing = jobOf(jobs, unit, experiment, dosingAutomationJob.name);
  const forecast = useForecast({ unit, use, jobs, dosing }, knownAt);
  const isMonitored = totals.media_bottle_ml !== null;
  const isKnownRate = isHere && dosing !== undefined && mediaMlPerHour !== null;
  const isAway = knownAt !== '';
  return (
    <tr data-old={(isHere && isAway) || undefined}>
      <th scope="row">
        <Link to="/units/$unit" params={{ unit }} className="page-link">
          {nameOf(unit)}
        </Link>
        {!isHere && <span className={styles.small}>{experimentWords.earlier}</span>}
      </th>
      <td data-label={commonWords.mediumUsed}>{ml(totals.media_ml)}</td>
      <td data-label={commonWords.alternativeMedium}>
        {ml(totals.alt_media_ml)}
        <Left text={experimentWords.left} leftMl={isHere ? totals.alt_media_left_ml : null} />
      </td>
      <td data-label={commonWords.waste}>
        {ml(totals.waste_ml)}
        <Left text={experimentWords.freeInBottle} leftMl={isHere ? totals.waste_left_ml : null} />
      </td>
      <td data-label={experimentWords.mediumPerHour}>{isKnownRate ? ml(mediaMlPerHour) : '–'}</td>
      <td data-label={experimentWords.mediumLeft}>
        {!isHere && '–'}
        {isHere && isMonitored && <LeftField unit={unit} leftMl={totals.media_left_ml} isAway={isAway} />}
        {isHere && !isMonitored && experimentWords.notMonitored}
      </td>
      <td data-label={experimentWords.forecast} className={styles.forecast}>
        {isHere && (isMonitored || isAway) ? forecast.map((line) => <span key={line}>{line}</span>) : '–'}
      </td>
    </tr>
  );
}

const Sum = ({ uses }: { readonly uses: readonly MediaUse[] }) => {
  const { mediaMl, altMediaMl, wasteMl, mlPerHour } = summedUse(uses);
  return (
    <tfoot>
      <tr>
        <th scope="row">{commonWords.allUnits}</th>
        <td data-label={commonWords.mediumUsed}>{ml(mediaMl)}</td>
        <td data-label={commonWords.alternativeMedium}>{ml(altMediaMl)}</td>
        <td data-label={commonWords.waste}>{ml(wasteMl)}</td>
        <td data-label={experimentWords.mediumPerHour}>{ml(mlPerHour)}</td>
        <td colSpan={2} />
      </tr>
    </tfoot>
  );
};

function MediaTable() {
  const { name: experiment, endMs, units } = useShownExperiment();
  const { query, usageOf } = useMediaUse(experiment);
  const { data: assignments = [] } = useAssignments();
  const here = new Set(assignments.flatMap((each) => (each.experiment === experiment ? [each.reactor_unit] : [])));
  if (query.data === undefined)
    return query.error ? (
      <ProblemAlert error={query.error} onRetry={() => query.refetch()} retrying={query.isFetching} />
    ) : (
      <Text size="sm" c="dimmed" role="status">
        {experimentWords.loadingWhatWasUsed}
      </Text>
    );
  const uses = units.map(usageOf);
  const isHere = (unit: string): boolean => endMs === null && here.has(unit);
  const lacksSize = units.some((unit) => isHere(unit) && usageOf(unit).totals.media_bottle_ml === null);
  const isUnused = uses.every(({ totals }) => totals.media_ml + totals.alt_media_ml + totals.waste_ml === 0);
  return (
    <>
      {isUnused && (
        <Text size="sm">{endMs === null ? experimentWords.nothingWasDosedYet : experimentWords.nothingDosed}</Text>
      )}
      <table className={styles.table} aria-label={experimentWords.mediaUsedAndLeft}>
        <thead>
          <tr>
            <th scope="col">{commonWords.unit}</th>
            <th scope="col">{commonWords.mediumUsed}</th>
            <th scope="col">{commonWords.alternativeMedium}</th>
            <th scope="col">{commonWords.waste}</th>
            <th scope="col" title={experimentWords.mediaRateHelp(mediaRateHours)}>
              {experimentWords.mediumPerHour}
            </th>
            <th scope="col">{experimentWords.mediumLeft}</th>
            <th scope="col">{experimentWords.forecast}</th>
          </tr>
        </thead>
        <tbody>
          {units.map((unit) => (
            <Row key={unit} unit={unit} use={usageOf(unit)} isHere={isHere(unit)} />
          ))}
        </tbody>
        {units.length > 1 && <Sum uses={uses} />}
      </table>
      {lacksSize && (
        <Text size="sm" mt="xs">
          <NoBottleSize />
        </Text>
      )}
    </>
  );
}

/** What the pumps have moved, and how long the bottles last. */
export function MediaPanel() {
  const { units } = useShownExperiment();
  return (
    <Panel title={experimentWords.mediaAndBottles} foldsOnPhone>
      {units.length === 0 ? (
        <Text size="sm" c="dimmed">
          {experimentWords.noUnitsAssignFirst}
        </Text>
      ) : (
        <MediaTable />
      )}
    </Panel>
  );
}
