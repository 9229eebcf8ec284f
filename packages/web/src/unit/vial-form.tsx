import { leaderApi, noMediaTotals, ownValue } from '@lcs/contract';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { queryKeys, type Vial } from '../api/query-keys.ts';
import { areNumbersSound, type FieldDescriptor, type FieldValue, FormFields } from '../forms/form-field.tsx';
import { useMedia } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { NoBottleSize } from '../ui/no-bottle-size.tsx';
import { digitsText } from '../ui/number-text.ts';
import { Panel } from '../ui/panel.tsx';
import { commonWords } from '../words/common.ts';
import { uiWords } from '../words/ui.ts';
import { unitWords } from '../words/unit.ts';
import type { UnitFacts } from './use-unit.ts';
import { useVial } from './use-vial.ts';

interface VolumeField {
  readonly name: string;
  readonly label: string;
  readonly now: (vial: Vial) => number | null;
  /** Of a bottle: where its size is; the unit follows no level of a bottle without one. */
  /** Of the vial: no more than its capacity. */
  readonly isOfVial?: boolean;
  readonly size?: 'media_bottle_ml' | 'alt_media_bottle_ml' | 'waste_bottle_ml';
}

const volumeFields: readonly VolumeField[] = [
  {
    name: 'current_volume_ml',
    label: unitWords.volumeInVial,
    isOfVial: true,
    now: ({ values }) => values.current_volume_ml,
  },
  {
    name: 'efflux_tube_volume_ml',
    label: unitWords.endOfWasteTube,
    isOfVial: true,
    now: ({ values }) => values.efflux_tube_volume_ml,
  },
  {
    name: 'media_bottle_left_ml',
    label: unitWords.mediumLeftInBottle,
    size: 'media_bottle_ml',
    now: ({ mediaLeftMl }) => mediaLeftMl,
  },
  {
    name: 'alt_media_bottle_left_ml',
    label: unitWords.alternativeMediumLeft,
    size: 'alt_media_bottle_ml',
    now: () => null,
  },
  {
    name: 'waste_bottle_left_ml',
    label: unitWords.freeVolumeOfWasteBottle,
    size: 'waste_bottle_ml',
    now: () => null,
  },
];

const fieldOf = (
  { name, label, now, isOfVial }: VolumeField,
  vial: Vial | undefined,
  capacityMl: number | undefined,
): FieldDescriptor => {
  const nowMl = vial === undefined ? null : now(vial);
  const placeholder = nowMl === null ? commonWords.notKnown : unitWords.volumeNow(digitsText(nowMl, 4));
  const limits = { min: 0, ...(isOfVial && capacityMl !== undefined && { max: capacityMl }) };
  return { kind: 'number', name, label, unit: 'mL', placeholder, ...limits };
};

/** Corrects what the unit keeps about its vial and bottles; an empty field stays as it is. */
export function VialForm({ facts, experiment }: { readonly facts: UnitFacts; readonly experiment: string }) {
  const { unit, fullName: name, status, model } = facts;
  const { leader } = useServices();
  const cache = useQueryClient();
  const may = useMay();
  const lastKnown = useLastKnown();
  const vial = useVial(unit, experiment, status?.liveness === 'online').data;
  const { data: media } = useMedia(experiment, { isFollowed: false });
  const bottles = (media && ownValue(media, unit)?.totals) ?? noMediaTotals;
  const shownFields = volumeFields.filter(({ size }) => size === undefined || bottles[size] !== null);
  const fields = shownFields.map((each) => fieldOf(each, vial, model?.reactor_capacity_ml));
  const units = useMemo(() => [unit], [unit]);
  const nameOf = useCallback(() => name, [name]);
  const { command, send, dismiss } = useUnitCommand(units, nameOf);
  const form = useForm<Record<string, FieldValue>>({
    initialValues: Object.fromEntries(volumeFields.map((each) => [each.name, ''])),
  });
  const submit = form.onSubmit((values) => {
    const entered = Object.entries(values).flatMap(([key, value]) =>
      typeof value === 'number' ? [[key, value] as const] : [],
    );
    if (entered.length === 0) return;
    const params = { reactor_unit: unit, experiment };
    void send(
      unitWords.correctVolumes,
      () => leader.updateBioreactor({ params, body: { values: Object.fromEntries(entered) } }),
      () => {
        form.reset();
        void cache.invalidateQueries({ queryKey: queryKeys.vial(unit, experiment) });
      },
    );
  });
  return (
    <Panel title={unitWords.volumesAndBottles}>
      <form onSubmit={submit} noValidate>
        <LeaveGuard what={uiWords.theVolumes} isUnsaved={form.isDirty()} />
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {unitWords.volumesHelp}
          </Text>
          <FormFields fields={fields} form={form} />
          {media !== undefined && shownFields.length < volumeFields.length && (
            <Text size="sm">
              <NoBottleSize />
            </Text>
          )}
          {command.phase !== 'idle' && <CommandStatus command={command} onDismiss={dismiss} />}
          <Group justify="flex-end">
            <Button
              type="submit"
              variant="default"
              disabled={!form.isDirty() || !areNumbersSound(fields, (key) => form.values[key]) || lastKnown !== null}
              loading={command.phase === 'pending'}
              {...may(leaderApi.updateBioreactor)}
            >
              {unitWords.correctVolumes}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
