import { leaderApi, type Model } from '@lcs/contract';
import { Button, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useModels } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './inventory.module.css';
import { useInventoryChange, useNewUnits } from './use-inventory.ts';

/** Most names of models contain their version. */
const labelOf = ({ display_name: name, model_version: version }: Model): string =>
  name.includes(version) ? name : `${name} ${version}`;

const keyOf = ({ model_name, model_version }: Model): string => `${model_name} ${model_version}`;

/** A unit that has joined, before it can be assigned to experiments. */
function NewUnit({ unit }: { readonly unit: string }) {
  const { leader } = useServices();
  const may = useMay();
  const { data: models = [] } = useModels();
  const [key, choose] = useState<string | null>(null);
  const model = models.find((each) => keyOf(each) === key);
  const add = useInventoryChange(() =>
    leader.registerWorker({
      body: {
        reactor_unit: unit,
        ...(model && { model_name: model.model_name, model_version: model.model_version }),
      },
    }),
  );
  return (
    <li className={styles.request}>
      <div>
        <h3 className={styles.name}>{unit}</h3>
        <Text size="sm">It has joined. Experiments can use it once it is in the inventory.</Text>
      </div>
      <Group gap="xs">
        <Select
          size="xs"
          w={200}
          aria-label={`Model of ${unit}`}
          placeholder="Model"
          data={models.map((each) => ({ value: keyOf(each), label: labelOf(each) }))}
          value={key}
          onChange={choose}
          withScrollArea={false}
        />
        <Button
          size="xs"
          disabled={model === undefined}
          loading={add.isPending}
          onClick={() => add.mutate(undefined)}
          aria-label={`Add to the inventory: ${unit}`}
          {...may(leaderApi.registerWorker)}
        >
          Add to the inventory
        </Button>
      </Group>
      {add.error && <ProblemAlert error={add.error} />}
    </li>
  );
}

/** Units that have joined and are not in the inventory. */
export function NewUnits() {
  const { data = [] } = useNewUnits();
  if (data.length === 0) return null;
  return (
    <Panel title="New units">
      <ul className={styles.list}>
        {data.map((unit) => (
          <NewUnit key={unit} unit={unit} />
        ))}
      </ul>
    </Panel>
  );
}
