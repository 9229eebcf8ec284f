import { Select } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useExperimentRows } from '../experiments/use-experiment-rows.ts';
import { commonWords } from '../words/common.ts';
import { experimentWords } from '../words/experiment.ts';
import styles from './experiment-switcher.module.css';

/** Opens another experiment; those with units first. */
export function ExperimentSwitcher({ current }: { readonly current: string }) {
  const navigate = useNavigate();
  const { rows } = useExperimentRows();
  const names = (isRunning: boolean) =>
    rows
      .filter(({ experiment }) => experiment.experiment !== current && experiment.worker_count > 0 === isRunning)
      .map(({ experiment }) => ({ value: experiment.experiment, label: experiment.experiment }));
  return (
    <Select
      size="xs"
      aria-label={experimentWords.switchToAnotherExperiment}
      data={[
        { group: experimentWords.withUnits, items: names(true) },
        { group: experimentWords.others, items: names(false) },
      ]}
      placeholder={experimentWords.switchExperiment}
      limit={50}
      value={null}
      searchable
      nothingFoundMessage={commonWords.noSuchExperiment}
      withScrollArea={false}
      comboboxProps={{ withinPortal: false, width: 300, position: 'bottom-end' }}
      onChange={(experiment) => {
        if (experiment !== null) {
          void navigate({ to: '/experiments/$experiment', params: { experiment } });
        }
      }}
      className={styles.switcher}
    />
  );
}
