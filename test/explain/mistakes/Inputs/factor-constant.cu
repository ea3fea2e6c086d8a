__constant__ float factor = 2;
