import { parseIni } from '@lcs/platform';

/** What differs from leader to leader in the file that a new one begins with. */
export interface SharedConfigDefaults {
  /** The leader's unit name. */
  readonly leader: string;
  /** Host name or IP address at which units and browsers reach the leader, without scheme and port. */
  readonly leaderAddress: string;
  /** Port of the HTTP server; browsers reach the broker there too, at /mqtt. */
  readonly httpPort: number;
  /** Port of the broker for plain MQTT. */
  readonly brokerPort: number;
}

/**
 * The shared configuration that a new leader begins with. Written so that simple readers understand it: only `key=value`,
 * comments on lines of their own that begin with `;`, each section once.
 */
export const defaultSharedConfig = ({ leader, leaderAddress, httpPort, brokerPort }: SharedConfigDefaults): string => `\
; Shared configuration of the cluster: the leader keeps it and gives it to every unit.
; A unit's own unit_config.ini overrides it, key by key.
; A job reads its values when it starts; a running job keeps the old ones.

[cluster.topology]
; The unit name of this leader. It cannot be changed here.
leader_hostname=${leader}
; Where units and browsers reach it, without http:// and port.
leader_address=${leaderAddress}

[cluster.addresses]
; One line per unit whose address is not the one it gave when it joined, for example:
; rx01=192.168.4.21

[mqtt]
; Where programs and browsers find the message broker. Passwords do not belong into this file.
broker_address=${leaderAddress}
broker_port=${brokerPort}
; Browsers use WebSocket on the port of the web interface.
broker_ws_port=${httpPort}
ws_protocol=ws
use_tls=0

[ui]
; Where the web interface and the interface for programs are served.
port=${httpPort}
proto=http

[ui.overview.settings]
; How many hours of data the charts load at first.
filtered_od_lookback_hours=50000
raw_od_lookback_hours=50000
; clock_time, or hours since the experiment was created.
time_display_mode=clock_time

[ui.overview.charts]
; Charts of the overview for experiments in which nothing else was chosen: 1 shown, 0 hidden.
implied_growth_rate=1
implied_daily_growth_rate=0
fraction_of_volume_that_is_alternative_media=0
normalized_optical_density=1
optical_density=1
temperature=1
current_volume_ml=0
raw_optical_density=0
fused_optical_density=0

[ui.overview.cards]
; Cards of the overview: 1 shown, 0 hidden.
dosings=1
event_logs=1
profiles=1

[logging]
; Least serious level of the log entries that are shown: DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL.
ui_log_level=INFO

[PWM]
; What is connected to each power output.
1=stirring
2=media
3=alt_media
4=waste
5=heating

[leds]
; What is connected to each LED output. One of them must be IR.
A=IR
B=
C=
D=

[od_config.photodiode_channel]
; What each light sensor sees: an angle to the IR light (45, 90, 135 or 180), or REF for the one that watches the light.
1=REF
2=90
3=
4=

[bioreactor]
; Volumes in mL. The efflux tube sets the level that the waste pump leaves.
efflux_tube_volume_ml=15
initial_volume_ml=15
; 0 to 1.
initial_alt_media_fraction=0

[monitor.config]
; auto (off on computers with a single core), true or false.
enable_button=auto
; 0: only once, when the unit starts.
self_check_interval_hours=12

[stirring.config]
initial_target_rpm=500
; Per cent, until the speed is measured.
initial_duty_cycle=30
pwm_hz=200
; 1: keep the speed by measuring it; 0: keep the duty cycle.
use_rpm=1
duration_between_updates_seconds=23
; 1: stir slower while the optical density is read.
enable_dodging_od=0
pre_delay_duration=1.5
post_delay_duration=0.25
target_rpm_during_od_reading=0
target_rpm_outside_od_reading=500

[stirring.pid]
Kp=0.02
Ki=0
Kd=0

[od_reading.config]
samples_per_second=0.2
; Per cent, or auto.
ir_led_intensity=80
; Smoothing of the reference, 0 to 1.
pd_reference_ema=0.75
smoothing_penalizer=3.0
turn_off_leds_during_reading=1
; Seconds.
duration_between_led_off_and_od_reading=0.125
use_dark_offsets=1
; unity: the first reference of an experiment counts as 1.
ref_normalization=unity

[growth_rate_calculating.config]
; In standard deviations, more than 2.
ekf_outlier_std_threshold=5.0
samples_for_od_statistics=10

[dosing_automation.config]
pause_between_subdoses_seconds=5
; So many times the volume is removed again, so that the end of the waste tube sets the level.
waste_removal_multiplier=2
; mL.
max_subdose=1.0

[dosing_automation.turbidostat]
; auto, normalized_od, od_fused, od, or a setting of another job as <job>/<setting>.
biomass_signal=auto

[dosing_automation.pid_morbidostat]
Kp=1
; Per hour.
Ki=0.1
Kd=0
; mL.
minimum_dosing_volume_ml=0.1

[temperature_automation.thermostat]
Kp=2.6
Ki=0
Kd=7
`;

/** Whether nobody has changed the text since a leader began with it, whatever its address and ports were. */
export function isAsShipped(text: string): boolean {
  const { document } = parseIni(text);
  const shipped = defaultSharedConfig({
    leader: document.get('cluster.topology', 'leader_hostname') ?? '',
    leaderAddress: document.get('cluster.topology', 'leader_address') ?? '',
    httpPort: Number(document.get('ui', 'port')),
    brokerPort: Number(document.get('mqtt', 'broker_port')),
  });
  return text === shipped;
}
