import type { Sparklines } from '@lcs/contract';
import { Button, NativeSelect, Skeleton, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { useOpenSessions } from '../calibrations/use-open-sessions.ts';
import { LatestProvider, useLatestError } from '../latest/use-latest.tsx';
import { useSparklines } from '../latest/use-sparklines.ts';
import { useAssignments, useExperiments, useWorkers } from '../services/queries.ts';
import { useOfAllUnits } from '../services/use-by-unit.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { ExpandIcon } from '../ui/icons.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { nowWords } from '../words/now.ts';
import {
  clusterSentence,
  experimentsWithProfile,
  experimentsWithUnits,
  nextStep,
  type TileUnit,
  tileUnits,
} from './cluster-state.ts';
import styles from './now-page.module.css';
import type { NowSearch } from './now-search.ts';
import { Onboarding } from './onboarding.tsx';
import { targetOf } from './tile-values.ts';
import { UnitTile } from './unit-tile.tsx';
import { useClusterState } from './use-cluster-state.ts';
import { useFullScreen } from './use-full-screen.ts';
import { usePictures } from './use-pictures.ts';

const route = getRouteApi('/');

/** Loaded where there is one. */
const OpenSessionsList = lazy(() =>
  import('../calibrations/open-sessions-list.tsx').then((module) => ({ default: module.OpenSessionsList })),
);

/** Loaded where a profile runs. */
const ProfileLines = lazy(() => import('./profile-lines.tsx').then((module) => ({ default: module.ProfileLines })));

/** The course on a tile, hours. */
const courseHours = 6;

/** The course of each unit; of several photodiodes that of the first. */
function useMeans(sparklines: Sparklines | undefined): ReadonlyMap<string, readonly (number | null)[]> {
  return useMemo(
    () => new Map((sparklines?.lines ?? []).toReversed().map(({ reactor_unit, means }) => [reactor_unit, means])),
    [sparklines],
  );
}

/** The experiments in which a profile runs. */
function useExperimentsWithProfile(): readonly string[] {
  const names = useOfAllUnits((jobs = []) => experimentsWithProfile(jobs).join('\n'));
  return useMemo(() => names.split('\n').filter((name) => name !== ''), [names]);
}

function Tiles({ units, showsExperiment }: { readonly units: readonly TileUnit[]; readonly showsExperiment: boolean }) {
  const usesNormalised = useOfAllUnits((jobs = []) => targetOfAny(jobs));
  const od = useMeans(useSparklines('od', courseHours));
  const normalised = useMeans(useSparklines('od_filtered', courseHours, usesNormalised));
  const experiments = useMemo(() => [...new Set(units.map(({ experiment }) => experiment))], [units]);
  const pictures = usePictures(experiments);
  const withProfile = useExperimentsWithProfile();
  const error = useLatestError();
  return (
    <>
      {error && <ProblemAlert error={error} />}
      <ul className={styles.tiles} aria-label={commonWords.units}>
        {units.map(({ unit, experiment }) => (
          <PartBoundary key={unit} part={unit} resetKey={experiment}>
            <UnitTile
              unit={unit}
              experiment={experiment}
              showsExperiment={showsExperiment}
              odMeans={od.get(unit)}
              normalisedMeans={normalised.get(unit)}
              picture={pictures(unit, experiment)}
              hasProfile={withProfile.includes(experiment)}
            />
          </PartBoundary>
        ))}
      </ul>
    </>
  );
}

/** Whether any dosing has a target that is a multiple of the start. */
const targetOfAny = (jobs: Parameters<typeof targetOf>[0]): boolean =>
  jobs.some((job) => targetOf([job])?.signal === 'normalized_od');

interface FilterProps {
  readonly experiments: readonly string[];
  readonly search: NowSearch;
}

function Filter({ experiments, search: { experiment: chosen, view } }: FilterProps) {
  const navigate = route.useNavigate();
  if (experiments.length < 2 && chosen === undefined) return null;
  const names = chosen === undefined || experiments.includes(chosen) ? experiments : [...experiments, chosen];
  return (
    <NativeSelect
      aria-label={commonWords.experiment}
      value={chosen ?? ''}
      data={[{ value: '', label: commonWords.allExperiments }, ...names.map((name) => ({ value: name, label: name }))]}
      onChange={({ currentTarget: { value } }) => {
        void navigate({
          to: '/',
          search: { ...(value !== '' && { experiment: value }), ...(view !== undefined && { view }) },
          replace: true,
        });
      }}
    />
  );
}

function Loading() {
  return (
    <div className={styles.tiles} role="status" aria-label={commonWords.loadingUnits}>
      {['first', 'second', 'third'].map((key) => (
        <Skeleton key={key} height={190} radius="lg" />
      ))}
    </div>
  );
}

/** All units at a glance: the start page, and the picture of a wall display. */
export function NowPage() {
  const search = route.useSearch();
  const { experiment, view } = search;
  const isWall = view === 'wall';
  const { enter, leave } = useFullScreen(search);
  const assignments = useAssignments();
  const workers = useWorkers();
  const experiments = useExperiments();
  const state = useClusterState();
  const open = useOpenSessions();
  const withProfile = useExperimentsWithProfile();
  const list = assignments.data;
  const units = useMemo(() => tileUnits(list ?? [], experiment), [list, experiment]);
  const running = useMemo(() => experimentsWithUnits(list ?? []), [list]);
  const error = assignments.error ?? workers.error ?? experiments.error;
  const isKnown = list !== undefined && workers.data !== undefined && experiments.data !== undefined;
  const step =
    isKnown && state !== undefined
      ? nextStep({ units: workers.data.length, experiments: experiments.data.length, state })
      : null;
  const lastKnown = useLastKnown();
  const sentence = state === undefined ? commonWords.now : clusterSentence(state, lastKnown);
  return (
    <div className={styles.page} data-view={view}>
      <title>{commonWords.pageTitle(sentence)}</title>
      <div className={styles.head}>
        <Title order={1} size={isWall ? 'h1' : 'h2'}>
          {sentence}
        </Title>
        <div className={styles.tools}>
          <Filter experiments={running} search={search} />
          {isWall ? (
            <Button variant="default" onClick={leave}>
              {nowWords.leaveFullScreenEsc}
            </Button>
          ) : (
            <Button variant="default" leftSection={<ExpandIcon />} onClick={enter} visibleFrom="sm">
              {nowWords.fullScreen}
            </Button>
          )}
        </div>
      </div>
      {withProfile.length > 0 && (
        <Suspense>
          {withProfile
            .filter((each) => experiment === undefined || each === experiment)
            .map((each) => (
              <ProfileLines key={each} experiment={each} unit={null} />
            ))}
        </Suspense>
      )}
      {error && !isKnown && <ProblemAlert error={error} onRetry={() => assignments.refetch()} />}
      {!isKnown && !error && <Loading />}
      {open.length > 0 && (
        <Suspense>
          <OpenSessionsList sessions={open} />
        </Suspense>
      )}
      {step !== null && <Onboarding step={step} assignments={list ?? []} />}
      {isKnown && step !== 'assign-units' && units.length === 0 && experiment !== undefined && (
        <p className={styles.none}>{nowWords.noUnitIsAssignedTo(experiment)}</p>
      )}
      {units.length > 0 && (
        <LatestProvider>
          <Tiles units={units} showsExperiment={experiment === undefined && running.length > 1} />
        </LatestProvider>
      )}
    </div>
  );
}
