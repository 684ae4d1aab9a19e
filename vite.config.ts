/** Builds the page: a static site that works under any base path, without special headers. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  // Relative addresses, so that the site works at / and at /any/folder/ alike.
  base: './',
  plugins: [react()],
  worker: { format: 'es' },
  build: { target: 'es2022', reportCompressedSize: false },
});
