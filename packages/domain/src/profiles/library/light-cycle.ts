export const lightCycle = `# Light cycle: a phototrophic culture has day and night for a week, beginning with day.
#
# Adapt:    light_percent; day_min and night_min: minutes of light and of dark.
# Needs:    LEDs of the wanted colour at outputs C and D: the automation switches both. No pumps.
# Measures: OD (od_reading switches the light off during each reading), growth rate, temperature, changes of the light.
experiment_profile_name: light cycle
version: "1.0"
metadata:
  author: Leader Control Service
  description: Day and night for a week, for phototrophic cultures.
inputs: {temperature_c: 28, stir_rpm: 300, light_percent: 20, day_min: 960, night_min: 480}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: "\${{ stir_rpm }}"}}
    temperature_automation:
      actions:
        - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: "\${{ temperature_c }}"}}
    od_reading:
      actions:
        - {type: start, t: 1m, options: {interval: 60}} # seconds: fewer interruptions of the light
    growth_rate_calculating:
      actions:
        - {type: start, t: 30m}
    led_automation:
      actions:
        - type: start
          t: 1h
          options:
            automation_name: light_dark_cycle
            light_intensity: "\${{ light_percent }}"
            light_duration_minutes: "\${{ day_min }}"
            dark_duration_minutes: "\${{ night_min }}"
        - {type: stop, t: 7d}
`;
