import { Text } from '@mantine/core';
import { protectionText } from '../services/gate.ts';
import { useExperimentAccess } from '../services/queries.ts';
import { LockIcon } from '../ui/icons.tsx';
import { experimentWords } from '../words/experiment.ts';
import styles from './experiment-header.module.css';

/** That an experiment is protected, and for whom: its disabled actions cannot show it on a touch screen. */
export function ProtectionNotice({ experiment }: { readonly experiment: string }) {
  const access = useExperimentAccess(experiment);
  if (!access?.is_protected) return null;
  return (
    <Text size="sm" className={styles.protection ?? ''} data-closed={!access.may_act || undefined}>
      <LockIcon size={14} /> {protectionText(access)}
      {!access.may_act && experimentWords.mayStopJobs}
    </Text>
  );
}
