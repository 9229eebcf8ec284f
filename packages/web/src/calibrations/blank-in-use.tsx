import { type Blank, leaderApi } from '@lcs/contract';
import { blankValues } from '@lcs/domain';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../services/use-may.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import { Moment } from '../ui/moments.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import styles from './calibrations.module.css';
import { useBlanksInUse, useRemoveBlank } from './use-calibrations.ts';

interface RemovalProps {
  readonly blank: Blank;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Removal({ blank: { reactor_unit: unit, experiment }, isOpen, onClose }: RemovalProps) {
  const remove = useRemoveBlank(unit);
  const name = useUnitNames(isOpen)(unit);
  return (
    <Dialog title={calibrationsWords.removeBlankOf(name)} isOpen={isOpen} onClose={onClose}>
      <Text size="sm">{calibrationsWords.removeBlankConsequence(name, experiment)}</Text>
      {remove.error && <ProblemAlert error={remove.error} />}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {commonWords.keepIt}
        </Button>
        <Button
          color="red.9"
          loading={remove.isPending}
          onClick={() => remove.mutate(experiment, { onSuccess: onClose })}
        >
          {calibrationsWords.removeIt}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** The blank that a unit subtracts in its experiment, with the warning that a person has overridden. */
export function BlankInUse({ unit }: { readonly unit: string }) {
  const { data = [] } = useBlanksInUse();
  const [isAsking, setAsking] = useState(false);
  const may = useMay();
  const blank = data.find(({ reactor_unit }) => reactor_unit === unit);
  if (blank === undefined) return null;
  const { experiment, measured_at, means, problems } = blank;
  return (
    <section aria-label={calibrationsWords.blank} className={styles.card}>
      <Group justify="space-between" gap="xs">
        <div className={styles.naming}>
          <h2 className={styles.name}>{calibrationsWords.blankOf(experiment)}</h2>
          <Text size="sm">{blankValues(means)}</Text>
        </div>
        <Button size="xs" variant="default" onClick={() => setAsking(true)} {...may(leaderApi.runWorkerJob)}>
          {commonWords.removeDialog}
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        {calibrationsWords.measuredAt(<Moment ms={Date.parse(measured_at)} />)}
      </Text>
      {problems.length > 0 && (
        <Text size="sm">
          <WarningIcon size={16} /> {calibrationsWords.keptInSpiteOfWarningNamed(problems.join(' '))}
        </Text>
      )}
      <Removal blank={blank} isOpen={isAsking} onClose={() => setAsking(false)} />
    </section>
  );
}
