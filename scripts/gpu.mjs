/**
 * The environment in which Dawn (npm `webgpu`) finds a GPU in Node. A real GPU is used as it is.
 * Where a Linux machine has none, Chrome's own software adapter SwiftShader and the Vulkan loader
 * that Chrome ships beside it serve, so that nothing more than the browser must be installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findBrowser, ROOT } from './setup.mjs';

/** Variables to add to a child's environment; {} where the machine's own GPU serves. */
export function gpuEnvironment() {
  // macOS has Metal and Windows Direct3D; a VK_ICD_FILENAMES from outside is somebody's own choice.
  if (process.platform !== 'linux' || process.env.VK_ICD_FILENAMES) return {};
  if (hasGpuDevice() && dawnFindsAdapter()) return {};
  const folder = swiftShaderFolder();
  if (!folder) return {};
  return {
    VK_ICD_FILENAMES: join(folder, 'vk_swiftshader_icd.json'),
    LD_LIBRARY_PATH: [folder, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
    // The loader complains without one.
    XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR ?? tmpdir(),
  };
}

/** The environment with `gpuEnvironment` taken out again, for the browser, which brings its own. */
export function withoutGpuEnvironment(environment) {
  const { VK_ICD_FILENAMES, LD_LIBRARY_PATH, ...rest } = environment;
  return rest;
}

/** Whether the kernel shows a graphics device: DRM render node, NVIDIA, or WSL. */
function hasGpuDevice() {
  const inFolder = (folder, pattern) => existsSync(folder) && readdirSync(folder).some((name) => pattern.test(name));
  return inFolder('/dev/dri', /^renderD/) || inFolder('/dev', /^(nvidia\d+|dxg)$/);
}

/** Asks Dawn in a child process, since a broken driver may end the process that asks. */
function dawnFindsAdapter() {
  const question = `
    const { create } = await import('webgpu');
    const gpu = create([]);
    process.exit((await gpu.requestAdapter()) ? 0 : 1);`;
  return (
    spawnSync(process.execPath, ['--input-type=module', '-e', question], {
      cwd: ROOT,
      stdio: 'ignore',
      timeout: 20_000,
    }).status === 0
  );
}

/** Beside the browser's real program; Debian's /usr/bin/chromium is a shell script, so look there too. */
function swiftShaderFolder() {
  const browser = findBrowser();
  const folders = [
    ...(browser ? [dirname(realpathSync(browser))] : []),
    '/usr/lib/chromium',
    '/usr/lib/chromium-browser',
    '/usr/lib64/chromium-browser',
    '/opt/google/chrome',
    '/snap/chromium/current/usr/lib/chromium-browser',
  ];
  return folders.find(
    (folder) => existsSync(join(folder, 'vk_swiftshader_icd.json')) && existsSync(join(folder, 'libvk_swiftshader.so')),
  );
}
