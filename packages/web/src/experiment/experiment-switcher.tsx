import { Select } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useExperimentRows } from '../experiments/use-experiment-rows.ts';
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
      aria-label="Switch to another experiment"
      data={[
        { group: 'With units', items: names(true) },
        { group: 'Others', items: names(false) },
      ]}
      placeholder="Switch experiment"
      limit={50}
      value={null}
      searchable
      nothingFoundMessage="No such experiment"
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
