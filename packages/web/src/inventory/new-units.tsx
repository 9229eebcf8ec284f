import { leaderApi, type Model } from '@lcs/contract';
import { Button, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useModels, useWorkers } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { inventoryWords } from '../words/inventory.ts';
import styles from './inventory.module.css';
import { usualModel } from './unit-rows.ts';
import { useInventoryChange, useNewUnits } from './use-inventory.ts';

/** Most names of models contain their version. */
const labelOf = ({ display_name: name, model_version: version }: Model): string =>
  name.includes(version) ? name : `${name} ${version}`;

const keyOf = ({ model_name, model_version }: Pick<Model, 'model_name' | 'model_version'>): string =>
  `${model_name} ${model_version}`;

interface NewUnitProps {
  readonly unit: string;
  readonly models: readonly Model[];
  readonly chosen: Model | undefined;
  readonly onChoose: (key: string | null) => void;
}

/** A unit that has joined, before it can be assigned to experiments. */
function NewUnit({ unit, models, chosen, onChoose }: NewUnitProps) {
  const { leader } = useServices();
  const may = useMay();
  const add = useInventoryChange(({ model_name, model_version }: Model) =>
    leader.registerWorker({ body: { reactor_unit: unit, model_name, model_version } }),
  );
  return (
    <li className={styles.request}>
      <h3 className={styles.name}>{unit}</h3>
      <Group gap="xs">
        <Select
          w={200}
          aria-label={inventoryWords.modelOf(unit)}
          placeholder={commonWords.model}
          data={models.map((each) => ({ value: keyOf(each), label: labelOf(each) }))}
          value={chosen === undefined ? null : keyOf(chosen)}
          onChange={onChoose}
          withScrollArea={false}
        />
        <Button
          disabled={chosen === undefined}
          loading={add.isPending}
          onClick={() => chosen && add.mutate(chosen)}
          aria-label={inventoryWords.addToInventory(unit)}
          {...may(leaderApi.registerWorker)}
        >
          {commonWords.add}
        </Button>
      </Group>
      {add.error && <ProblemAlert error={add.error} />}
    </li>
  );
}

/** Units that have joined and are not in the inventory: with the model of most others they are added in one click. */
export function NewUnits() {
  const { data = [] } = useNewUnits();
  const { leader } = useServices();
  const may = useMay();
  const { data: models = [] } = useModels();
  const { data: workers = [] } = useWorkers();
  const [keys, setKeys] = useState<ReadonlyMap<string, string | null>>(new Map());
  const usual = usualModel(workers);
  const usualKey = usual === null ? null : `${usual.model_name} ${usual.model_version}`;
  const modelFor = (unit: string): Model | undefined => {
    const key = keys.has(unit) ? keys.get(unit) : usualKey;
    return models.find((each) => keyOf(each) === key);
  };
  const addAll = useInventoryChange(async (units: readonly string[]) => {
    for (const unit of units) {
      const { model_name, model_version } = modelFor(unit) ?? {};
      if (model_name !== undefined && model_version !== undefined)
        await leader.registerWorker({ body: { reactor_unit: unit, model_name, model_version } });
    }
  });
  if (data.length === 0) return null;
  const ready = data.filter((unit) => modelFor(unit) !== undefined);
  return (
    <Panel
      title={inventoryWords.unitsFound(data.length)}
      aside={
        data.length > 1 && (
          <Button
            loading={addAll.isPending}
            disabled={ready.length === 0}
            onClick={() => addAll.mutate(ready)}
            {...may(leaderApi.registerWorker)}
          >
            {ready.length === data.length ? inventoryWords.addAll : inventoryWords.addCount(ready.length)}
          </Button>
        )
      }
    >
      <Text size="sm" c="dimmed" mb="xs">
        {inventoryWords.foundHelp}
      </Text>
      {addAll.error && <ProblemAlert error={addAll.error} />}
      <ul className={styles.list}>
        {data.map((unit) => (
          <NewUnit
            key={unit}
            unit={unit}
            models={models}
            chosen={modelFor(unit)}
            onChoose={(key) => setKeys(new Map(keys).set(unit, key))}
          />
        ))}
      </ul>
    </Panel>
  );
}
