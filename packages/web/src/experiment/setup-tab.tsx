import { Stack } from '@mantine/core';
import { PastUnits } from '../assignments/past-units.tsx';
import { ExperimentAudit } from '../audit/experiment-audit.tsx';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { DescriptionEditor } from './description-editor.tsx';
import { useShownExperiment } from './experiment-context.ts';
import styles from './setup-tab.module.css';

/** What the experiment is, and who and what takes part in it. */
export function SetupTab() {
  const { name, row } = useShownExperiment();
  return (
    <Stack gap="md">
      <div className={styles.columns}>
        <PartBoundary part="The description" resetKey={name}>
          <DescriptionEditor experiment={name} description={row.experiment.description ?? ''} />
        </PartBoundary>
        <Panel title="History of assignments">
          <PartBoundary part="The history of assignments" resetKey={name}>
            <PastUnits experiment={name} />
          </PartBoundary>
        </Panel>
      </div>
      <PartBoundary part="The audit" resetKey={name}>
        <ExperimentAudit experiment={name} />
      </PartBoundary>
    </Stack>
  );
}
