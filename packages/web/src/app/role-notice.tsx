import { leaderApi } from '@lcs/contract';
import { Text } from '@mantine/core';
import { useMay } from '../services/use-may.ts';
import { appWords } from '../words/app.ts';

/** The reason of all disabled actions, for those who cannot read it on the control: on a touch screen. */
export function RoleNotice() {
  const may = useMay();
  if (!may(leaderApi.createExperiment).disabled) return null;
  return (
    <Text size="sm" c="dimmed" mb="xs">
      {appWords.viewingOnly}
    </Text>
  );
}
