import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';
import { UnitOutcome } from './task.ts';

/** Name of a still: its file name without `.jpg`. */
export const ImageId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[A-Za-z0-9_-][A-Za-z0-9_.-]*$',
  description: 'Letters, digits, `_`, `-` and `.`; the default is the time and eight hex digits',
});

/** A picture of a vial. */
export const Still = closed(
  {
    experiment: Type.String(),
    captured_at: Timestamp,
    image_id: ImageId,
    capture_reason: Type.Union([Type.Literal('scheduled'), Type.Literal('manual')]),
  },
  { title: 'Still' },
);
export type Still = Static<typeof Still>;

export const DetectionStatus = Type.Union([
  Type.Literal('detected'),
  Type.Literal('configured_camera_not_detected'),
  Type.Literal('unknown'),
]);
export type DetectionStatus = Static<typeof DetectionStatus>;

export const CameraStatus = closed(
  {
    unit: Type.String(),
    detection_status: DetectionStatus,
    runtime_available: Type.Boolean({ description: 'The unit has a program that takes stills' }),
    capture_command: Nullable(Type.String({ description: 'Name of the program that takes stills' })),
    mock: Type.Boolean({ description: 'Stills are drawn by the simulator' }),
    latest_still: Nullable(Still),
    auto_capture_enabled: Type.Boolean(),
    snapshot_interval_minutes: Type.Integer({ minimum: 0, description: '0: no scheduled stills' }),
  },
  { title: 'CameraStatus' },
);
export type CameraStatus = Static<typeof CameraStatus>;

export const CamerasOfExperiment = closed(
  { cameras: Type.Record(Type.String(), UnitOutcome, { description: 'By unit; the value is a CameraStatus' }) },
  { title: 'CamerasOfExperiment' },
);
export type CamerasOfExperiment = Static<typeof CamerasOfExperiment>;

export const ChangeCameraSettings = closed({ auto_capture_enabled: Type.Boolean() }, { title: 'ChangeCameraSettings' });
export type ChangeCameraSettings = Static<typeof ChangeCameraSettings>;

export const CameraSettings = closed(
  { unit: Type.String(), auto_capture_enabled: Type.Boolean() },
  { title: 'CameraSettings' },
);
export type CameraSettings = Static<typeof CameraSettings>;

const ofExperiment = { unit: Type.String({ maxLength: textLimit }), experiment: Type.String({ maxLength: textLimit }) };

export const Stills = closed(
  { ...ofExperiment, stills: Type.Array(Still, { description: 'Oldest first' }) },
  { title: 'Stills' },
);
export type Stills = Static<typeof Stills>;

export const DeletedStills = closed(
  { ...ofExperiment, deleted_image_ids: Type.Array(Type.String()) },
  { title: 'DeletedStills' },
);
export type DeletedStills = Static<typeof DeletedStills>;

/** The name is checked by the handler, so that its error states the valid characters. */
export const RenameStill = closed({ new_image_id: Type.String({ maxLength: textLimit }) }, { title: 'RenameStill' });
export type RenameStill = Static<typeof RenameStill>;
