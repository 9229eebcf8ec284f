import { ApiError, type UnitLabelChange, type UnitLabels } from '@lcs/contract';
import { validateUnitLabel, validateUnitName } from '@lcs/domain';
import type { LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { experimentKey, type LeaderReader, latestExperimentKey } from '../queries/experiments.ts';
import { labelsOf } from '../queries/unit-labels.ts';

/** `current` means the latest experiment; no experiment can have that name. */
const labelledExperiment = (database: LeaderReader, name: string) =>
  name.toLowerCase() === 'current' ? latestExperimentKey(database) : experimentKey(database, name);

async function readLabels(database: LeaderReader, experimentId: number): Promise<UnitLabels> {
  const rows = await labelsOf(database, experimentId).execute();
  return Object.fromEntries(rows.map(({ reactor_unit, label }) => [reactor_unit, label]));
}

/** Labels by unit; empty when the experiment does not exist. */
export async function unitLabels(database: LeaderReader, name: string): Promise<UnitLabels> {
  const experiment = await labelledExperiment(database, name).executeTakeFirst();
  return experiment ? readLabels(database, experiment.id) : {};
}

interface NewLabel {
  readonly experiment_id: number;
  readonly reactor_unit: string;
  readonly label: string;
  readonly created_at: number;
}

/** The other unit, of the inventory or with a label in the experiment, that has this name; upper and lower case look the same. */
async function unitNamed(transaction: LeaderTransaction, { experiment_id, reactor_unit, label }: NewLabel) {
  const name = label.toLowerCase();
  const found = await transaction
    .selectFrom('workers')
    .select('reactor_unit')
    .union(transaction.selectFrom('unit_labels').where('experiment_id', '=', experiment_id).select('reactor_unit'))
    .execute();
  return found.map((row) => row.reactor_unit).find((unit) => unit !== reactor_unit && unit.toLowerCase() === name);
}

async function storeLabel(transaction: LeaderTransaction, row: NewLabel): Promise<void> {
  const holder = await transaction
    .selectFrom('unit_labels')
    .where('experiment_id', '=', row.experiment_id)
    .where('label', '=', row.label)
    .select('reactor_unit')
    .executeTakeFirst();
  if (holder && holder.reactor_unit !== row.reactor_unit) {
    throw new ApiError('label_taken', { label: row.label, unit: holder.reactor_unit });
  }
  const named = await unitNamed(transaction, row);
  if (named !== undefined) throw new ApiError('label_taken', { label: row.label, unit: named, isName: true });
  await transaction
    .insertInto('unit_labels')
    .values(row)
    .onConflict((conflict) => conflict.columns(['experiment_id', 'reactor_unit']).doUpdateSet({ label: row.label }))
    .execute();
}

/**
 * Sets the label of a unit in an experiment; a blank label removes it. The unit may have left the inventory: the web UI still shows its data
 * under the label.
 * @throws ApiError invalid_body (not a valid unit name), label_invalid, experiment_not_found, label_taken
 */
export async function setUnitLabel(context: LeaderContext, name: string, change: UnitLabelChange): Promise<void> {
  const unit = validateUnitName(change.unit);
  if (!unit.ok) {
    throw new ApiError('invalid_body', {
      cause: `'unit' is not the name of a unit. ${unit.cause}`,
      field: 'unit',
      remediation: 'Send unit (a name of /api/units) and label.',
    });
  }
  const validation = validateUnitLabel(change.label);
  if (!validation.ok) throw new ApiError('label_invalid', { cause: validation.cause });
  const { label } = validation;
  const now = context.clock.now();
  await context.change(async (transaction, effects) => {
    const experiment = await labelledExperiment(transaction, name).executeTakeFirst();
    if (!experiment) throw new ApiError('experiment_not_found', { experiment: name });
    const key = { experiment_id: experiment.id, reactor_unit: unit.name };
    if (label === null) {
      await transaction
        .deleteFrom('unit_labels')
        .where('experiment_id', '=', key.experiment_id)
        .where('reactor_unit', '=', key.reactor_unit)
        .execute();
    } else {
      await storeLabel(transaction, { ...key, label, created_at: now });
    }
    const labels = await readLabels(transaction, experiment.id);
    effects.live('labels', experiment.name, { experiment: experiment.name, labels });
  });
}
