import { leaderApi } from '@lcs/contract';
import { Button, Group, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../services/use-may.ts';
import { PlusIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { commonWords } from '../words/common.ts';
import { inventoryWords } from '../words/inventory.ts';
import { AddUnitDialog, OpenCodes } from './add-unit.tsx';
import { JoinRequestsPanel } from './join-requests-panel.tsx';
import { NewUnits } from './new-units.tsx';
import { UnitsTable } from './units-table.tsx';
import { useJoinRequests } from './use-inventory.ts';

/** The units of the leader, and machines that want to become one. */
export function InventoryPage() {
  const [isAdding, setAdding] = useState(false);
  const may = useMay();
  // Machines that wait for a decision come first.
  const { data: waiting = [] } = useJoinRequests();
  return (
    <Stack>
      <title>{commonWords.pageTitle(commonWords.units)}</title>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {commonWords.units}
        </Title>
        <Button leftSection={<PlusIcon />} onClick={() => setAdding(true)} {...may(leaderApi.createEnrolmentCode)}>
          {commonWords.addUnit}
        </Button>
      </Group>
      {isAdding && <AddUnitDialog onClose={() => setAdding(false)} />}
      <OpenCodes />
      {waiting.length > 0 && <JoinRequestsPanel />}
      <NewUnits />
      <Panel title={inventoryWords.inventory}>
        <UnitsTable />
      </Panel>
      {waiting.length === 0 && <JoinRequestsPanel />}
    </Stack>
  );
}
