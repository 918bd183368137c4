"""Looking at robots and runs in three dimensions: geometry, scenes, offline films, the live viewer."""
