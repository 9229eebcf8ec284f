import { PartBoundary } from '../ui/part-boundary.tsx';
import { UnitsPanel } from '../units/units-panel.tsx';
import { experimentWords } from '../words/experiment.ts';
import { useShownExperiment } from './experiment-context.ts';
import { usePageSearch } from './use-page-search.ts';

/** The units with their jobs. */
export function UnitsTab() {
  const { name, endMs, units, nameOf } = useShownExperiment();
  const [search, change] = usePageSearch();
  return (
    <PartBoundary part={experimentWords.units} resetKey={name}>
      <UnitsPanel
        experiment={name}
        units={units}
        nameOf={nameOf}
        isOver={endMs !== null}
        view={search.units ?? null}
        onView={(view) => change({ units: view })}
        starting={search.start ?? null}
        onStarted={() => change({ start: undefined })}
      />
    </PartBoundary>
  );
}
