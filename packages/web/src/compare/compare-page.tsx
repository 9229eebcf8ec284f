import { EmptyState, MultiSelect, Select, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { mostCompared, namesOf, namesText } from '../experiments/compared-names.ts';
import { designText } from '../experiments/experiment-design.ts';
import type { ExperimentRow } from '../experiments/experiment-rows.ts';
import { useExperimentRows } from '../experiments/use-experiment-rows.ts';
import { AlignedCurves } from '../growth/aligned-curves.tsx';
import { type Alignment, alignmentOf, alignmentText } from '../growth/alignment.ts';
import { GrowthGroups } from '../growth/growth-groups.tsx';
import { type FitName, hasReplicates } from '../growth/growth-view.ts';
import { useGrowthComparison } from '../services/growth-queries.ts';
import { CurveIcon } from '../ui/icons.tsx';
import { Day } from '../ui/moments.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { commonWords } from '../words/common.ts';
import { compareWords } from '../words/compare.ts';
import styles from './compare-page.module.css';

const route = getRouteApi('/compare');

/** The design of each compared experiment. */
const Compared = ({ rows }: { readonly rows: readonly ExperimentRow[] }) => (
  <ul className={styles.compared}>
    {rows.map(({ experiment: { experiment }, design, createdAtMs }) => (
      <li key={experiment}>
        <div>
          <Link to="/experiments/$experiment" params={{ experiment }} className="page-link">
            {experiment}
          </Link>
        </div>
        <span className={styles.facts}>
          {designText(design) || compareWords.noDesignStated} · <Day ms={createdAtMs} />
        </span>
      </li>
    ))}
  </ul>
);

interface StatisticsProps {
  readonly names: readonly string[];
  readonly alignment: Alignment;
}

/** What groups of replicates have in common, and whether they differ. */
function Statistics({ names, alignment }: StatisticsProps) {
  const { data } = useGrowthComparison(names, alignment);
  const [fit, setFit] = useState<FitName>('log_linear');
  if (data === undefined) return null;
  const method = data.fits.find((one) => one.fit === fit);
  const areGroups = hasReplicates(data.groups);
  return (
    <section aria-labelledby="statistics" className={styles.section}>
      <div className={styles.head}>
        <h2 id="statistics" className={styles.title}>
          {areGroups ? compareWords.growthOfReplicates : commonWords.growth}
        </h2>
        <Select
          size="xs"
          w={300}
          aria-label={commonWords.fit}
          allowDeselect={false}
          data={data.fits.map((one) => ({ value: one.fit, label: one.title }))}
          value={fit}
          onChange={(_, option) => setFit(data.fits.find((one) => one.fit === option?.value)?.fit ?? fit)}
        />
      </div>
      <div className={styles.scroll}>
        <GrowthGroups groups={data.groups} tests={data.tests} fit={fit} />
      </div>
      <Text size="sm" c="dimmed">
        {areGroups && compareWords.groupCountsUnitsNotReadings}
        {compareWords.dosesOfMediumAreSubtracted(method?.reference)}
      </Text>
    </section>
  );
}

/** Curves and growth of several experiments, whose names and alignment are in the address. */
export function ComparePage() {
  const { e, align } = route.useSearch();
  const navigate = route.useNavigate();
  const { rows } = useExperimentRows();
  const names = useMemo(() => namesOf(e), [e]);
  const alignment = useMemo(() => alignmentOf(align), [align]);
  const known = names.flatMap((name) => rows.filter(({ experiment }) => experiment.experiment === name));
  const go = (next: readonly string[], to: Alignment): void => {
    void navigate({ to: '/compare', search: { e: namesText(next), align: alignmentText(to) }, replace: true });
  };
  return (
    <Stack gap="lg">
      <title>{commonWords.pageTitle(compareWords.compareExperiments)}</title>
      <Stack gap={6}>
        <Link to="/experiments" className="page-link">
          {commonWords.experiments}
        </Link>
        <Title order={1} size="h2">
          {compareWords.compareExperiments}
        </Title>
      </Stack>
      <MultiSelect
        label={commonWords.experiments}
        searchable
        hidePickedOptions
        maxValues={mostCompared}
        data={[...new Set([...rows.map(({ experiment }) => experiment.experiment), ...names])]}
        limit={50}
        value={[...names]}
        onChange={(next) => go(next, alignment)}
        nothingFoundMessage={commonWords.noSuchExperiment}
        withScrollArea={false}
        comboboxProps={{ withinPortal: false }}
        maw={720}
      />
      {names.length === 0 ? (
        <EmptyState
          py={48}
          icon={<CurveIcon size={40} />}
          title={compareWords.nothingToCompareYet}
          description={compareWords.chooseExperiments}
        />
      ) : (
        <>
          <Compared rows={known} />
          {names.length === 1 && <Text size="sm">{compareWords.chooseAnother}</Text>}
          <section aria-labelledby="curves" className={styles.section}>
            <h2 id="curves" className={styles.title}>
              {compareWords.curves}
            </h2>
            <PartBoundary part={compareWords.partCurves} resetKey={e}>
              <AlignedCurves experiments={names} alignment={alignment} onAlignment={(to) => go(names, to)} />
            </PartBoundary>
          </section>
          <PartBoundary part={compareWords.statistics} resetKey={e}>
            <Statistics names={names} alignment={alignment} />
          </PartBoundary>
        </>
      )}
    </Stack>
  );
}
