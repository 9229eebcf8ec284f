import { Checkbox } from '@mantine/core';
import { UnitName } from '../ui/unit-name.tsx';
import { assignmentsWords } from '../words/assignments.ts';
import styles from './unit-boxes.module.css';

/** A choice of units without some, or with them too. */
export function withChosen(
  chosen: ReadonlySet<string>,
  units: readonly string[],
  isChosen: boolean,
): ReadonlySet<string> {
  const next = new Set(chosen);
  for (const unit of units) {
    if (isChosen) next.add(unit);
    else next.delete(unit);
  }
  return next;
}

interface UnitBoxesProps {
  readonly title: string;
  readonly list: readonly { readonly unit: string; readonly note?: string | null }[];
  readonly nameOf: (unit: string) => string;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (units: readonly string[], isChosen: boolean) => void;
}

/** Units with a box each, and one for all of them. */
export function UnitBoxes({ title, list, nameOf, chosen, onChoose }: UnitBoxesProps) {
  if (list.length === 0) return null;
  const all = list.map(({ unit }) => unit);
  const count = all.filter((unit) => chosen.has(unit)).length;
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{title}</legend>
      <Checkbox
        label={assignmentsWords.selectAll(list.length)}
        checked={count === list.length}
        indeterminate={count > 0 && count < list.length}
        onChange={() => onChoose(all, count < list.length)}
      />
      <div className={styles.units}>
        {list.map(({ unit, note = null }) => (
          <Checkbox
            key={unit}
            label={<UnitName unit={unit} nameOf={nameOf} note={note} />}
            checked={chosen.has(unit)}
            onChange={(event) => onChoose([unit], event.currentTarget.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
